"""Another client, in a process of its own: one signed-in call on a new connection each 150 ms, over and over.

Prints a line of JSON for its whole life when its input ends: how many calls, the worst and the usual time, and what
failed. Its address is another one than that of the attackers.
"""

import json
import os
import select
import socket
import subprocess
import sys
import time

from server import HOST, tls

EVERY_S = 0.15
GIVES_UP_AFTER_S = 10
CALLS_MIN = 4
CALL = (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"resolve_artist",'
        b'"arguments":{"q":"Four Tet"}}}')


class Probe:
    """The process, while the `with` lasts; then `calls`, `worst_ms`, `median_ms` and `failures`."""

    def __init__(self, server, source="127.0.0.2"):
        self.server, self.source = server, source

    def __enter__(self):
        self.process = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), self.server.listen, str(self.server.port),
             self.source],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write(self.server.token + "\n")
        self.process.stdin.flush()
        return self

    def __exit__(self, *_):
        out, _ = self.process.communicate(timeout=GIVES_UP_AFTER_S * CALLS_MIN)
        self.__dict__.update(json.loads(out.splitlines()[-1]))

    def __str__(self):
        return f"{self.calls} calls, median {self.median_ms:.0f} ms, worst {self.worst_ms:.0f} ms"


def ask(address, source, token, context):
    with socket.socket() as tcp:
        tcp.settimeout(GIVES_UP_AFTER_S)
        tcp.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        tcp.bind((source, 0))
        tcp.connect(address)
        with context.wrap_socket(tcp, server_hostname=HOST) as stream:
            stream.sendall(
                b"POST /mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"
                b"Accept: application/json, text/event-stream\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
                % (HOST.encode(), token.encode(), len(CALL), CALL))
            answer = b""
            while piece := stream.recv(65536):
                answer += piece
    if not answer.startswith(b"HTTP/1.1 200") or b'"isError":false' not in answer:
        raise RuntimeError(f"answered {answer[:300]!r}")


def main():
    address, source = (sys.argv[1], int(sys.argv[2])), sys.argv[3]
    token = sys.stdin.readline().strip()
    context = tls()
    times, failures = [], []
    while len(times) < CALLS_MIN or not select.select([sys.stdin], [], [], 0)[0]:
        began = time.monotonic()
        try:
            ask(address, source, token, context)
        except (OSError, RuntimeError) as error:
            failures.append(f"after {time.monotonic() - began:.2f} s: {error!r}"[:300])
        took = time.monotonic() - began
        times.append(took * 1000)
        select.select([sys.stdin], [], [], max(0, EVERY_S - took))
    times.sort()
    print(json.dumps({
        "calls": len(times), "failures": failures,
        "worst_ms": times[-1] if times else 0, "median_ms": times[len(times) // 2] if times else 0,
    }))


if __name__ == "__main__":
    main()
