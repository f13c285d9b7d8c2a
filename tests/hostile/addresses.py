"""More addresses than anybody has: named by a proxy that is trusted, and real ones in a network namespace."""

import os
import ssl
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


def sources(bench):
    """20,000 real source addresses, each with a connection that stays open, in a network namespace."""
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
    many, places = bench.count(20_000, 1_200), bench.count(8_192, 400)
    context = tls()

    def come(number):
        source = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        try:
            stream = server.speak(context=context, source=source)
            stream.sendall(call("192.0.2.1", PING))
            return stream, stream.recv(12) == b"HTTP/1.1 200"
        except (OSError, ssl.SSLError) as error:
            return None, repr(error)

    with Server(bench.binary, f"[transport]\nconnections = {places}\n") as server:
        with Probe(server) as probe, Peak(server) as peak, ThreadPoolExecutor(8) as workers:
            began, held, marks, failures = time.monotonic(), [], [], []
            for start in range(0, many, many // 20):
                for stream, outcome in workers.map(come, range(start + 256, start + 256 + many // 20)):
                    held.append(stream)
                    if outcome is not True:
                        failures.append(outcome)
                marks.append(server.resident_mib())
            took = time.monotonic() - began
            open_now, gave_way = server.open_connections(), server.figures()["ono_connections_gave_way_total"]
        for stream in held:
            if stream:
                stream.close()
    full = marks[len(marks) * 3 // 5:]
    bench.holds(f"{many:,} source addresses, {places:,} places: each is answered, and memory does not grow with them",
                not failures and open_now <= places + 2 and max(full) - full[0] < PLATEAU_MIB,
                f"{many / took:,.0f} a second, {open_now} open, {gave_way:.0f} gave way, {len(failures)} failed "
                f"{failures[:2] or ''}; MiB {marks[0]:.0f}, {full[0]:.0f} when full, {marks[-1]:.0f}; "
                f"+{peak.most - peak.before:.0f} at most")
    bench.serves("real addresses", probe)
