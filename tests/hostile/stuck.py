"""Peers that stop: at each stage of a connection, and with a tool that others wrote for it."""

import contextlib
import re
import socket
import ssl
import struct
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import wire
from probe import EVERY_S, Probe
from server import HOST, Peak, Server, tls
from wire import Watch

# What a goodbye and a busy machine may add to a stated time.
SLACK_S = 5
# What the system may hold for a connection, at both its ends.
TCP_KIB = 320
# The longest documents, for peers that read nothing.
PAGE = "/docs/agents/tools"


def half_hello(server):
    tcp = server.connect()
    tcp.sendall(bytes.fromhex("1603010200010001fc0303") + bytes(100))
    return tcp


def half_header(server):
    stream = server.speak()
    stream.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Half: ")
    return stream


def half_body(server):
    stream = server.speak()
    stream.sendall(b"POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
                   % HOST.encode())
    return stream


def not_reading(server):
    """Asks again and again until the server itself waits."""
    stream = server.speak(small=True)
    stream.settimeout(0.3)
    with contextlib.suppress(OSError):
        for _ in range(100):
            stream.sendall(b"GET %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (PAGE.encode(), HOST.encode()) * 80)
    return stream


def stages(limits):
    """Each stage: how a peer comes there, and what it is given."""
    return {
        "TCP only": (lambda server: server.connect(), limits["handshake"]),
        "half a ClientHello": (half_hello, limits["handshake"]),
        "handshake, no byte": (lambda server: server.speak(), limits["headers"]),
        "half a header": (half_header, limits["headers"]),
        "half a body": (half_body, limits["body"]),
        "no answer is read": (not_reading, limits["stalled"]),
    }


def open_many(server, how, count, at_once=16):
    """So many at that stage; those that cannot be opened are a failure of the scenario."""
    with ThreadPoolExecutor(at_once) as workers:
        return list(workers.map(lambda _: how(server), range(count)))


def stopped(bench):
    """2,000 peers at each stage, one stage after the other: others are served meanwhile, and each is gone in time."""
    limits, count = bench.limits, bench.count(2000, 100)
    with Server(bench.binary, bench.timeouts) as server:
        for name, (how, time_s) in stages(limits).items():
            # Filling the buffers of the system between the two takes a while for each.
            many, at_once = (count, 16) if name != "no answer is read" else (bench.count(2000, 30), 64)
            with Probe(server) as probe, Peak(server) as peak:
                began = time.monotonic()
                peers = open_many(server, how, many, at_once)
                took = time.monotonic() - began
                # They may still wait to be taken.
                until = time.monotonic() + 2
                while (held := server.open_connections()) < many and time.monotonic() < until:
                    time.sleep(0.05)
                watch = Watch(peers)
                # A peer that reads nothing does not see its end: the server's own count is the judge.
                until = time.monotonic() + time_s + SLACK_S
                while server.open_connections() > 5 and time.monotonic() < until:
                    time.sleep(0.1)
                left = server.open_connections()
                gone = time.monotonic() - began
                if name != "no answer is read":
                    watch.until(min(until, time.monotonic() + 2))
                watch.close()
            bench.holds(f"{name}: {many} peers, all gone {time_s:g} s after the last came, {SLACK_S} s at most more",
                        left <= 5 and gone <= took + time_s + SLACK_S
                        and peak.tcp_most - peak.tcp_before <= many * TCP_KIB / 1024 + 16,
                        f"{held} open, the last gone after {gone:.1f} s ({took:.1f} s of coming); "
                        f"memory +{peak.most - peak.before:.0f} MiB, +{peak.tcp_most - peak.tcp_before:.0f} MiB of "
                        f"the system for TCP")
            bench.serves(name, probe)


def crowded(bench):
    """More connections than there are places, all of one address that says nothing: others are served all the same."""
    places = bench.count(2000, 200)
    with Server(bench.binary, f"[transport]\nconnections = {places}\n") as server:
        with Probe(server) as probe, Peak(server) as peak:
            silent = open_many(server, lambda server: server.connect(), places + places // 2)
            idle = open_many(server, lambda server: server.speak(), places)
            greeted = open_many(server, lambda server: server.speak(alpn="h2"), places // 4)
            time.sleep(bench.count(5, 2))
            held, gave_way = server.open_connections(), server.figures()["ono_connections_gave_way_total"]
        for peer in silent + idle + greeted:
            peer.close()
        bench.holds(f"{places * 2.75:.0f} silent connections of one address for {places} places",
                    held <= places + 2 and gave_way >= places,
                    f"{held} open, {gave_way:.0f} gave way; memory +{peak.most - peak.before:.0f} MiB")
        bench.serves("all places are held by one address", probe)


def slow_tool(bench):
    """slowhttptest in its four modes."""
    limits, count = bench.limits, bench.count(2000, 200)
    rate = str(bench.count(500, 200))
    modes = {
        "slow headers (-H)": (["-H", "-i", "3"], "/mcp", limits["headers"]),
        "slow body (-B)": (["-B", "-i", "3", "-s", "8192", "-x", "20", "-t", "POST"], "/mcp", limits["body"]),
        "ranges (-R)": (["-R", "-t", "HEAD", "-a", "10", "-b", "3000"], PAGE, limits["idle"]),
        "slow read (-X)": (["-X", "-w", "512", "-y", "1024", "-n", "3", "-z", "32", "-k", "3"], PAGE, limits["idle"]),
    }
    with Server(bench.binary, bench.timeouts) as server:
        for name, (arguments, path, time_s) in modes.items():
            comes_s = count / int(rate)
            lasts_s = int(comes_s + time_s + SLACK_S + 3)
            most, gone, before = 0, None, server.figures()["ono_connections_total"]
            with Probe(server) as probe, Peak(server) as peak:
                began = time.monotonic()
                tool = subprocess.Popen(
                    ["slowhttptest", *arguments, "-c", str(count), "-r", rate, "-l", str(lasts_s), "-p", "3",
                     "-u", f"https://{HOST}:{server.port}{path}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                said = []
                reader = threading.Thread(target=lambda tool=tool, said=said: said.append(tool.stdout.read()))
                reader.start()
                while tool.poll() is None:
                    open_now = server.open_connections()
                    if open_now > 10:
                        most, gone = max(most, open_now), None
                    elif most > 10 and gone is None:
                        gone = time.monotonic() - began
                    elif gone is not None and time.monotonic() - began > max(gone, comes_s) + 2:
                        # None is left and none came after them: whatever the tool still waits for is not here.
                        tool.terminate()
                    time.sleep(0.2)
                reader.join()
                took = time.monotonic() - began
                gone = gone if gone is not None else took
                taken = server.figures()["ono_connections_total"] - before - took / EVERY_S
            text = re.sub(rb"\x1b\[[0-9;]*m", b"", said[0]).decode(errors="replace")
            closed = re.findall(r"closed:\s+(\d+)", text)
            status = re.findall(r"Exit status:\s+(.*)", text)
            bench.holds(f"{name}: {count} peers, each gone within {time_s:g} s",
                        taken >= count * 0.9 and gone <= comes_s + time_s + 2 * SLACK_S,
                        f"{taken:.0f} came, {most} open at most, none after {gone:.1f} s of {took:.0f} s; the tool says "
                        f"closed {closed[-1] if closed else '?'}, {status[-1].strip() if status else '?'}; "
                        f"memory +{peak.most - peak.before:.0f} MiB")
            bench.serves(name, probe)


def few_files(bench):
    """A program that may have 64 files open, and 200 connections that say nothing."""
    with Server(bench.binary, files=64) as server:
        with Probe(server) as probe:
            silent = open_many(server, lambda server: server.connect(), 200)
            stop = threading.Event()
            fresh = []

            def again():
                while not stop.wait(0.05):
                    fresh.append(server.connect())

            more = threading.Thread(target=again)
            more.start()
            time.sleep(bench.count(15, 4))
            stop.set()
            more.join()
            files = server.open_files()
            limit = server.figures()["ono_connections_limit"]
        for peer in silent + fresh:
            peer.close()
        bench.holds("64 files, 200 silent connections and 20 more a second", server.lives() and files <= 64,
                    f"{limit:.0f} places, {files} files open")
        bench.serves("64 files", probe)


def aborted(bench):
    """100 handshakes a second that are broken off in their middle."""
    lasts_s, context = bench.count(20, 4), tls()
    with Server(bench.binary) as server:
        with Probe(server) as probe, Peak(server) as peak:
            began, done = time.monotonic(), 0
            while (now := time.monotonic() - began) < lasts_s:
                while done < now * 100:
                    tcp = server.connect(timeout=5)
                    tcp.sendall(client_hello(context))
                    if done % 2:
                        # Ends with a reset.
                        tcp.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    tcp.close()
                    done += 1
                time.sleep(0.005)
            failed = sum(value for name, value in server.figures().items() if "handshakes_failed" in name)
        bench.holds(f"{done} handshakes broken off, {done / lasts_s:.0f} a second", done >= 90 * lasts_s and failed > 0,
                    f"{failed:.0f} failed; memory +{peak.most - peak.before:.0f} MiB")
        bench.serves("handshakes broken off", probe)


def told_to_stop(bench):
    """A server that is told to stop while peers stand at every stage: it ends within its grace, and well."""
    grace_s, count = bench.count(10, 2), bench.count(100, 30)
    with Server(bench.binary, f"[transport]\ndrain_grace_s = {grace_s}\n") as server:
        # Those first that may stay longest, so that all are there together.
        ways = [how for how, _ in reversed(stages(bench.limits).values())]
        peers = [peer for how in ways for peer in open_many(server, how, count)]
        greeted = open_many(server, lambda server: server.speak(alpn="h2"), count)
        for peer in greeted:
            wire.greet(peer)
        held, began = server.open_connections(), time.monotonic()
        server.process.terminate()
        try:
            code = server.process.wait(grace_s + 10)
        except subprocess.TimeoutExpired:
            code = None
        took = time.monotonic() - began
        for peer in peers + greeted:
            peer.close()
    # The time of last answers, and of a machine that does other things.
    bench.holds(f"told to stop with {held} peers at every stage: ended within {grace_s} s and one more",
                code == 0 and took <= grace_s + 1 and held >= count * 6, f"after {took:.1f} s with {code}")


def client_hello(context):
    """The first message of a handshake that nobody goes on with."""
    comes, goes = ssl.MemoryBIO(), ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(comes, goes, server_hostname=HOST).do_handshake()
    return goes.read()
