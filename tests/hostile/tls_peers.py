"""Peers that misuse TLS: before, in and after the handshake."""

import contextlib
import os
import re
import subprocess
import tempfile
import threading
import time

import wire
from probe import Probe
from server import HOST, Peak, Server, tls


def s_client(server, *arguments, said=b"", lasts_s=3.0, pause_s=0.0):
    """What openssl prints while `said` is typed, a line after each pause."""
    process = subprocess.Popen(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{server.port}", "-servername", HOST, *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    ends = threading.Timer(lasts_s, process.kill)
    ends.start()
    typed = 0
    with contextlib.suppress(OSError):
        time.sleep(0.3)
        for line in said.splitlines(keepends=True):
            process.stdin.write(line)
            process.stdin.flush()
            typed += 1
            time.sleep(pause_s)
            if process.poll() is not None:
                break
    try:
        out, _ = process.communicate(timeout=lasts_s + 5)
    except (OSError, ValueError):
        out = process.stdout.read()
        process.wait()
    ends.cancel()
    return out.decode(errors="replace"), typed, process.returncode


def record(kind, payload):
    return bytes([kind, 3, 1]) + len(payload).to_bytes(2, "big") + payload


def handshakes(bench):
    """No early data, no second handshake, and nothing endless before the first."""
    with Server(bench.binary, bench.timeouts) as server, Probe(server) as probe, Peak(server) as peak:
        early_data(bench, server)
        out, _, _ = s_client(server, "-tls1_2", said=b"R\n", lasts_s=2)
        refused = "no renegotiation" in out.lower() or "no_renegotiation" in out.lower()
        bench.holds("no second handshake on a connection (TLS 1.2)", "RENEGOTIATING" in out and refused,
                    "refused" if refused else out[-300:])
        endless = {
            "warnings": record(21, b"\x01\x5a"),
            "changes of the cipher": record(20, b"\x01"),
            "empty records": record(22, b""),
            "a ClientHello of 16 MiB": record(22, b"\x01\xff\xff\xff" + bytes(4_000)),
            "one byte of a ClientHello after another": record(22, b"\x01") + record(22, b"\x00"),
            "no TLS": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "nothing but zeros": bytes(1_000),
        }
        seen = []
        for name, bytes_ in endless.items():
            with server.connect() as tcp:
                sent, closed = wire.pour(tcp, bytes_, bench.limits["handshake"] + 3)
                seen.append((closed, f"{name}: {sent} bytes"))
    bench.holds("what never becomes a handshake is ended", all(closed for closed, _ in seen)
                and peak.most - peak.before < 64,
                "; ".join(what for _, what in seen) + f"; memory +{peak.most - peak.before:.0f} MiB")
    bench.serves("misuse of TLS", probe)


def early_data(bench, server):
    with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
        session, data = os.path.join(folder, "session"), os.path.join(folder, "data")
        with open(data, "wb") as out:
            out.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        s_client(server, "-tls1_3", "-sess_out", session, said=b"\n", lasts_s=1.5)
        text = subprocess.run(["openssl", "sess_id", "-in", session, "-noout", "-text"], capture_output=True,
                              text=True, check=False).stdout
        allowed = re.findall(r"Max Early Data: (\d+)", text)
        out, _, _ = s_client(server, "-tls1_3", "-sess_in", session, "-early_data", data, lasts_s=1.5)
        said = re.findall(r"Early data was (\w+(?: \w+)?)", out)
        bench.holds("no data before the handshake (0-RTT)",
                    "Resumption PSK" in text and allowed in ([], ["0"]) and "accepted" not in said,
                    f"tickets allow {allowed or 'none'}; early data was {said}; "
                    f"{'resumed' if 'Reused' in out else 'not resumed'}")


def key_updates(bench):
    """Key updates without end, each asking for one in turn."""
    many = bench.count(1000, 150)
    with Server(bench.binary) as server, Probe(server) as probe, Peak(server) as peak:
        before = server.cpu_s()
        _, typed, _ = s_client(server, "-tls1_3", said=b"K\n" * many, lasts_s=bench.count(20, 6), pause_s=0.005)
        spent = server.cpu_s() - before
    bench.holds("key updates on one connection: it is ended", typed < many and peak.most - peak.before < 64,
                f"ended after {typed} of {many}; {spent:.2f} s of CPU")
    bench.serves("key updates", probe)


def storm(bench):
    """Whole handshakes, as many as go, each connection thrown away."""
    lasts_s, context, stop = bench.count(15, 2), tls(), threading.Event()
    counts, failures = [0] * 8, []

    def shake(worker):
        while not stop.is_set():
            try:
                server.speak(context=context, timeout=5).close()
                counts[worker] += 1
            except OSError as error:
                failures.append(repr(error))

    with Server(bench.binary) as server, Probe(server) as probe, Peak(server) as peak:
        before = server.cpu_s()
        workers = [threading.Thread(target=shake, args=(worker,)) for worker in range(len(counts))]
        for worker in workers:
            worker.start()
        time.sleep(lasts_s)
        stop.set()
        for worker in workers:
            worker.join()
        spent = server.cpu_s() - before
    bench.holds(f"{sum(counts):,} handshakes in {lasts_s} s", not failures and peak.most - peak.before < 64,
                f"{sum(counts) / lasts_s:,.0f} a second, {spent:.1f} s of CPU, {len(failures)} failed; "
                f"memory +{peak.most - peak.before:.0f} MiB")
    bench.serves("a storm of handshakes", probe)
