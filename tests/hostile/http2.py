"""Floods on one HTTP/2 or HTTP/1.1 connection, and clients that hold what they asked for."""

import contextlib
import struct
import time

import wire
from probe import Probe
from server import HOST, PING, Peak, Server

# What a flood may add to the memory of the server.
GROWTH_MIB = 64


def ended(stream, within_s=3.0):
    """Whether the peer closes or says goodbye within this time."""
    until = time.monotonic() + within_s
    while (rest := until - time.monotonic()) > 0:
        said = list(wire.frames(stream, min(rest, 0.5)))
        if any(kind == wire.GOAWAY for kind, _, _, _ in said):
            return True
        with contextlib.suppress(OSError):
            stream.settimeout(0.05)
            try:
                if stream.recv(1) == b"":
                    return True
            except TimeoutError:
                continue
            continue
        return True
    return False


def resets(bench):
    """HEADERS and RST_STREAM at once: 10,000 pairs in one go, and one by one."""
    pairs = bench.count(10_000, 2_000)
    cancel = struct.pack(">I", 8)
    pair = lambda number: (wire.request(2 * number + 1, body=PING) + wire.frame(wire.RESET, 0, 2 * number + 1, cancel))
    with Server(bench.binary) as server, Probe(server) as probe, Peak(server) as peak:
        outcomes = []
        for name, at_once in ("in one go", 100), ("one by one", 1):
            with server.speak(alpn="h2") as stream:
                wire.greet(stream)
                list(wire.frames(stream, 0.3))
                sent, closed = 0, False
                stream.settimeout(2)
                try:
                    while sent < pairs:
                        stream.sendall(b"".join(pair(number) for number in range(sent, sent + at_once)))
                        sent += at_once
                        if at_once == 1:
                            # So that each is taken as a request before it is broken off.
                            time.sleep(0.0005)
                except OSError:
                    closed = True
                closed = closed or ended(stream)
                outcomes.append((closed, f"{name}: {'ended after' if closed else 'took'} {sent}"))
    bench.holds(f"{pairs} HEADERS+RST_STREAM on one connection: it is ended",
                all(closed for closed, _ in outcomes) and peak.most - peak.before < GROWTH_MIB,
                "; ".join(what for _, what in outcomes) + f"; memory +{peak.most - peak.before:.0f} MiB")
    bench.serves("HEADERS+RST_STREAM", probe)


def continuation(bench):
    """A header that never ends."""
    with Server(bench.binary) as server, Probe(server) as probe, Peak(server) as peak:
        outcomes = []
        for name, block in (("empty", b""), ("full", wire.literal(b"x-flood", b"y" * 100) * 100)):
            with server.speak(alpn="h2") as stream:
                wire.greet(stream)
                stream.sendall(wire.frame(wire.HEADERS, 0, 1, wire.pseudo(b"POST", b"/mcp")))
                sent, closed = wire.pour(stream, wire.frame(wire.CONTINUATION, 0, 1, block) * 64, bench.count(10, 3))
                outcomes.append((closed or ended(stream), f"{name}: {sent / 1024:.0f} KiB sent"))
    bench.holds("endless CONTINUATION: the connection is ended",
                all(closed for closed, _ in outcomes) and peak.most - peak.before < GROWTH_MIB,
                "; ".join(what for _, what in outcomes) + f"; memory +{peak.most - peak.before:.0f} MiB")
    bench.serves("endless CONTINUATION", probe)


def floods(bench):
    """Frames that ask for nothing, as many as go, on one connection after another."""
    ack_wanted = wire.frame(wire.SETTINGS, 0, 0, wire.setting(wire.INITIAL_WINDOW, 65_535))
    window = wire.frame(wire.WINDOW, 0, 0, struct.pack(">I", 1))
    kinds = {
        "PING": wire.frame(wire.PING, 0, 0, bytes(8)),
        "SETTINGS": ack_wanted,
        "WINDOW_UPDATE": window,
        "PRIORITY": wire.frame(wire.PRIORITY, 0, 1, bytes(5)),
        "frames of an unknown kind": wire.frame(0x42, 0, 0, b"?"),
        "empty DATA": wire.frame(wire.DATA, 0, 1),
        "DATA of one byte, padded": wire.frame(wire.DATA, 8, 1, b"\x01x\x00"),
    }
    for_s = bench.count(6, 1)
    with Server(bench.binary) as server:
        for name, one in kinds.items():
            with Probe(server) as probe, Peak(server) as peak:
                before, sent, ends = server.cpu_s(), 0, 0
                began = time.monotonic()
                # While nothing is asked, and beside a request that is still coming.
                for asked in (False, True):
                    with server.speak(alpn="h2") as stream:
                        wire.greet(stream)
                        if asked:
                            stream.sendall(wire.request(1, body=b"{", ends=False))
                        # Those that are answered are read, or the server would wait for us.
                        one_sent, closed = wire.pour(stream, one * 1000, for_s / 2 if asked else 3, reads=True)
                        sent, ends = sent + one_sent // len(one), ends + closed
                took = time.monotonic() - began
            bench.holds(f"a flood of {name}, ended where nothing is asked", server.lives() and ends >= 1 and peak.most - peak.before < GROWTH_MIB,
                        f"{sent / took:,.0f} a second; {server.cpu_s() - before:.1f} s of CPU in {took:.1f} s; "
                        f"{ends} of 2 ended; memory +{peak.most - peak.before:.0f} MiB")
            bench.serves(f"flood of {name}", probe)


def unread(bench):
    """Answers that nobody takes: windows of 0 and of 1, while something else moves on the connection all the time."""
    many = bench.count(50, 10)
    limits = bench.limits
    ask = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    with Server(bench.binary, bench.timeouts + "[anonymous]\nrequests_burst = 1000000\n") as server:
        for window in (0, 1):
            with Probe(server) as probe, Peak(server) as peak:
                began, streams = time.monotonic(), []
                for _ in range(many):
                    stream = server.speak(alpn="h2")
                    wire.greet(stream, wire.setting(wire.INITIAL_WINDOW, window))
                    stream.sendall(b"".join(wire.request(2 * n + 1, path=b"/mcp/full", body=ask) for n in range(99)))
                    streams.append([stream, 2 * 99 + 1])
                took = time.monotonic() - began
                until = began + took + limits["stalled"] + 5
                held = server.open_connections()
                while server.open_connections() > 5 and time.monotonic() < until:
                    for pair in streams:
                        stream, number = pair
                        with contextlib.suppress(OSError):
                            # A request whose answer has no body, so that something moves.
                            stream.sendall(wire.request(number, body=b'{"jsonrpc":"2.0","method":"notifications/x"}'))
                            pair[1] += 2
                    time.sleep(0.2)
                gone, left = time.monotonic() - began, server.open_connections()
                for stream, _ in streams:
                    stream.close()
            bench.holds(f"{many} times 99 answers behind a window of {window}: gone after {limits['stalled']:g} s",
                        left <= 5, f"{held} open, none after {gone:.1f} s; memory +{peak.most - peak.before:.0f} MiB")
            bench.serves(f"a window of {window}", probe)


def small_fields(bench):
    """Thousands of header fields of two bytes, by themselves and by one entry of the table again and again."""
    field = wire.literal(b"a", b"b")
    stored = b"\x40\x06x-fill\x7f\x81\x1f" + b"z" * 4000
    blocks = {
        "1,500 fields": wire.pseudo(b"POST", b"/mcp") + field * 1_500,
        "5,000 fields": wire.pseudo(b"POST", b"/mcp") + field * 5_000,
        "4 KB named 4,000 times": wire.pseudo(b"POST", b"/mcp") + stored + b"\xbe" * 4_000,
    }
    with Server(bench.binary) as server, Probe(server) as probe, Peak(server) as peak:
        outcomes = []
        for name, block in blocks.items():
            with server.speak(alpn="h2") as stream:
                wire.greet(stream)
                pieces = [block[at:at + 16_000] for at in range(0, len(block), 16_000)]
                for at, piece in enumerate(pieces):
                    flags = (wire.END_STREAM if at == 0 else 0) | (wire.END_HEADERS if at == len(pieces) - 1 else 0)
                    with contextlib.suppress(OSError):
                        stream.sendall(wire.frame(wire.HEADERS if at == 0 else wire.CONTINUATION, flags, 1, piece))
                seen = list(wire.frames(stream, 1.0))
            words = b"larger than this server takes"
            # Whatever is served has a body; what the library refuses by itself has none.
            refused = any(kind in (wire.RESET, wire.GOAWAY) or kind == wire.DATA and words in payload
                          or kind == wire.HEADERS and flags & wire.END_STREAM for kind, flags, _, payload in seen)
            outcomes.append((refused, f"{name}: {'refused' if refused else 'taken'}"))
        head = b"POST /mcp HTTP/1.1\r\nHost: %s\r\n" % HOST.encode()
        with server.speak() as stream:
            stream.sendall(head + b"a: b\r\n" * 5_000 + b"\r\n")
            answer = stream.recv(100)
        outcomes.append((b" 431 " in answer, f"HTTP/1.1, 5,000 fields: {answer[9:12].decode(errors='replace')}"))
    bench.holds("header lists of small fields are refused",
                all(refused for refused, _ in outcomes) and peak.most - peak.before < GROWTH_MIB,
                "; ".join(what for _, what in outcomes))
    bench.serves("small fields", probe)


def pieces(bench):
    """HTTP/1.1: a body in chunks of one byte, chunks with long extensions, empty lines without end, a header without end."""
    head = b"POST /mcp HTTP/1.1\r\nHost: %s\r\nTransfer-Encoding: chunked\r\n\r\n" % HOST.encode()
    kinds = {
        "chunks of one byte": (head, b"1\r\nx\r\n" * 2000),
        "extensions of chunks": (head, b"1;" + b"e" * 8000 + b"\r\nx\r\n"),
        "empty lines": (b"", b"\r\n" * 4000),
        "a header field": (b"POST /mcp HTTP/1.1\r\nX: ", b"y" * 16_000),
        "trailers": (head + b"0\r\n", b"t: v\r\n" * 2000),
        "a number of a chunk": (head, b"0" * 16_000),
    }
    # The longest is a body, and what is read of it after it was refused.
    for_s = bench.limits["body"] + 2 + 3
    with Server(bench.binary, bench.timeouts) as server, Probe(server) as probe, Peak(server) as peak:
        outcomes = []
        for name, (first, again) in kinds.items():
            with server.speak() as stream:
                stream.sendall(first)
                began = time.monotonic()
                sent, closed = wire.pour(stream, again, for_s)
                outcomes.append((closed, f"{name}: {sent / 1024:,.0f} KiB in {time.monotonic() - began:.1f} s"))
    bench.holds("what never ends over HTTP/1.1 is ended", all(closed for closed, _ in outcomes)
                and peak.most - peak.before < GROWTH_MIB,
                "; ".join(what for _, what in outcomes) + f"; memory +{peak.most - peak.before:.0f} MiB")
    bench.serves("what never ends over HTTP/1.1", probe)
