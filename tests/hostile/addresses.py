"""More addresses than anybody has: named by a proxy that is trusted, and real ones in a network namespace."""

import multiprocessing
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from probe import CALL, Probe
from server import HOST, PING, Peak, Server, tls

NAMESPACE = "ONO_HOSTILE_NAMESPACE"
# Memory may still grow by so much in the second half of a flood of addresses.
PLATEAU_MIB = 24
# As many requests are on their way on one connection.
AT_ONCE = 50


def network(number):
    """One of 2^32 networks of 64 bits."""
    return f"2001:db8:{number >> 16:x}:{number & 0xffff:x}::1"


def call(address, body=CALL):
    return (b"POST /mcp HTTP/1.1\r\nHost: %s\r\nX-Forwarded-For: %s\r\nContent-Type: application/json\r\n"
            b"Accept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s"
            % (HOST.encode(), address.encode(), len(body), body))


class Proxy:
    """A kept-alive connection on which many callers speak."""

    def __init__(self, server):
        self.stream, self.buffer = server.speak(), b""

    def ask(self, requests):
        """The statuses and bodies of their answers."""
        self.stream.sendall(b"".join(requests))
        return [self.answer() for _ in requests]

    def answer(self):
        while (end := self.buffer.find(b"\r\n\r\n")) < 0:
            self.more()
        head = self.buffer[:end].lower()
        at = head.index(b"content-length:") + 15
        length = int(head[at:].split(b"\r\n", 1)[0])
        while len(self.buffer) < end + 4 + length:
            self.more()
        body = self.buffer[end + 4:end + 4 + length]
        self.buffer = self.buffer[end + 4 + length:]
        return head[9:12], body

    def more(self):
        piece = self.stream.recv(262_144)
        if not piece:
            raise RuntimeError("the server closed")
        self.buffer += piece


def forwarded(bench):
    """1,000,000 networks of 64 bits, named by a trusted proxy on kept-alive connections."""
    many = bench.count(1_000_000, 40_000)
    # Two calls a minute, so that who has made one is remembered for half a minute.
    sections = ('[guard]\ntrusted_proxies = ["127.0.0.1"]\n'
                "[anonymous]\ncalls_per_minute = 2\nunits_per_day = 500\n")
    with Server(bench.binary, sections) as server, Probe(server) as probe:
        proxies, limited = [Proxy(server) for _ in range(4)], Proxy(server)
        began, number, marks, statuses = time.monotonic(), 0, [], {}
        own, granted, asked = call("192.0.2.1"), 0, 0
        while number < many:
            for proxy in proxies:
                for status, _ in proxy.ask([call(network(number + at)) for at in range(AT_ONCE)]):
                    statuses[status] = statuses.get(status, 0) + 1
                number += AT_ONCE
            if number % 1_000 < AT_ONCE * len(proxies):
                _, body = limited.ask([own])[0]
                asked += 1
                granted += b'"rate_limited"' not in body
            if number % (many // 10) < AT_ONCE * len(proxies):
                marks.append(server.resident_mib())
        took = time.monotonic() - began
    growth = max(marks[5:]) - marks[4]
    bench.holds(f"{many:,} networks: every one is answered, and memory does not grow with them",
                statuses == {b"200": number} and growth < PLATEAU_MIB,
                f"{number / took:,.0f} a second; MiB at each tenth {' '.join(f'{mark:.0f}' for mark in marks)}")
    bench.holds("an address at its limit stays there however many others come", granted <= 2 + took / 30 + 1,
                f"{granted} of {asked} calls granted in {took:.0f} s, at 2 a minute")
    bench.serves("addresses that a proxy names", probe)


class Crew:
    """A process whose connections come from an address each, and stay."""

    def __init__(self, server):
        self.server, (self.pipe, theirs) = server, multiprocessing.Pipe()
        self.process = multiprocessing.get_context("fork").Process(target=self.work, args=(theirs,), daemon=True)
        self.process.start()

    def work(self, pipe):
        context, held = tls(), []

        def come(number):
            try:
                source = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
                stream = self.server.speak(context=context, source=source)
                held.append(stream)
                stream.sendall(call("192.0.2.1", PING))
                return None if stream.recv(12) == b"HTTP/1.1 200" else "another answer"
            except OSError as error:
                return repr(error)

        with ThreadPoolExecutor(4) as workers:
            while order := pipe.recv():
                start, count = order
                pipe.send([failure for failure in workers.map(come, range(start, start + count)) if failure])

    def end(self):
        self.pipe.send(None)
        self.process.join(10)


def sources(bench):
    """60,000 real source addresses, each with a connection that stays open, in a network namespace."""
    if os.environ.get(NAMESPACE) != "1":
        # The namespace goes with its last process, however that ends.
        inner = subprocess.run(
            ["unshare", "--net", "sh", "-c",
             'ip link set lo up && ip route add local 10.0.0.0/8 dev lo && exec "$@"', "sh",
             sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "run"),
             *(["--short"] if bench.short else []), "sources"],
            env={**os.environ, NAMESPACE: "1"}, check=False)
        bench.results.append(inner.returncode == 0)
        return
    many, places, crews = bench.count(60_000, 1_200), bench.count(8_192, 400), 4
    with Server(bench.binary, f"[transport]\nconnections = {places}\n") as server:
        # Some processes, since one may not have so many files open.
        crew = [Crew(server) for _ in range(crews)]
        with Probe(server) as probe, Peak(server) as peak:
            began, marks, failures, each = time.monotonic(), [], [], many // 20 // crews
            for start in range(256, 256 + many, each * crews):
                for number, one in enumerate(crew):
                    one.pipe.send((start + number * each, each))
                failures += [failure for one in crew for failure in one.pipe.recv()]
                marks.append(server.resident_mib())
            took = time.monotonic() - began
            open_now, gave_way = server.open_connections(), server.figures()["ono_connections_gave_way_total"]
        for one in crew:
            one.end()
    # The places are full long before; what is freed and taken again still spreads for a while.
    full = marks[len(marks) // 2:]
    bench.holds(f"{many:,} source addresses, {places:,} places: each is answered, and memory does not grow with them",
                not failures and open_now <= places + 2 and max(full) - full[0] < PLATEAU_MIB,
                f"{many / took:,.0f} a second, {open_now} open, {gave_way:.0f} gave way, {len(failures)} failed "
                f"{failures[:2] or ''}; MiB at each twentieth {' '.join(f'{mark:.0f}' for mark in marks)}; "
                f"+{peak.most - peak.before:.0f} at most")
    bench.serves("real addresses", probe)
