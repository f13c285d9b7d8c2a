"""How many lines a flood can write."""

import json
import math
import time

from addresses import Proxy
from probe import Probe
from server import HOST, PING, Server

# As docs/logging.md has it: requests that cost nothing, three kinds of refusal, hosts and origins, and what the server
# says of itself.
LINES_IN_10_S = 2_000 + 3 * 20 + 1
OWN_LINES = 40


def post(body=PING, host=HOST, path="/mcp", more=b""):
    return (b"POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"
            b"Accept: application/json, text/event-stream\r\n%sContent-Length: %d\r\n\r\n%s"
            % (path.encode(), host.encode(), more, len(body), body))


def flood(bench):
    """Requests of every kind, as many as go: the log has its bound, and what was paid for is in it."""
    lasts_s = bench.count(30, 5)
    kinds = [
        # With a body, the three that are refused early would end their connection.
        post(), post(b"{"), post(b'{"jsonrpc":"2.0","id":1,"method":"no/such"}'), post(b"", host="attacker.example"),
        post(b"", more=b"Origin: https://attacker.example\r\n"), post(b"", path="/no/such"),
        post(more=b"Authorization: Bearer a.b.c\r\n"),
        post(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no_such"}}'),
        post(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'),
    ]
    sections = "[anonymous]\nrequests_per_second = 1000000\nrequests_burst = 1000000\n[log]\nformat = \"json\"\n"
    with Server(bench.binary, sections) as server:
        with Probe(server) as probe:
            before, began, asked = server.lines_of_log().count(b"\n"), time.monotonic(), 0
            while time.monotonic() - began < lasts_s:
                proxies = [Proxy(server) for _ in kinds]
                for _ in range(200):
                    for proxy, kind in zip(proxies, kinds):
                        asked += len(proxy.ask([kind] * 20))
                for proxy in proxies:
                    proxy.stream.close()
            took = time.monotonic() - began
            paid = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"resolve_artist","arguments":{"q":"%s"}}}'
            token = b"Authorization: Bearer %s\r\n" % server.token.encode()
            Proxy(server).ask([post(paid % b"Nirvana", more=token)])
        written = server.lines_of_log()
        lines = written.count(b"\n") - before
        left_out = server.figures()["ono_log_lines_left_out_total"]
    cost = [line for line in written.splitlines() if b'"units":' in line and json.loads(line)["fields"]["units"] > 0]
    most = LINES_IN_10_S * (math.ceil(took / 10) + 1) + OWN_LINES
    bench.holds(f"{asked:,} requests in {took:.0f} s: at most {most:,} lines, and none that was paid for is missing",
                lines <= most and left_out > 0 and len(cost) >= 2,
                f"{lines:,} lines, {left_out:,.0f} left out, {len(cost)} of calls that cost something")
    bench.serves("a flood of requests", probe)
