"""The real program as a child: its configuration, its start and end, and what the system says of it."""

import os
import re
import resource
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.request

STARTS_WITHIN_S = 20
ENDS_WITHIN_S = 15
HOST = "localhost"
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def free_port(host="127.0.0.1"):
    with socket.socket() as taken:
        taken.bind((host, 0))
        return taken.getsockname()[1]


def tls(alpn=("http/1.1",), newest=None):
    """Believes every certificate: what is watched here is the time."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if newest:
        context.maximum_version = newest
    context.set_alpn_protocols(list(alpn))
    return context


class Server:
    """Runs until the `with` ends. `sections` holds TOML to put beside what every scenario needs."""

    def __init__(self, binary, sections="", files=None):
        self.binary, self.sections, self.files, self.listen = binary, sections, files, "127.0.0.1"

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="hostile-")
        self.port, self.operator = free_port(), free_port()
        config = os.path.join(self.folder, "server.toml")
        with open(config, "w", encoding="utf-8") as out:
            out.write(
                f'[server]\nlisten = "{self.listen}:{self.port}"\n'
                f'public_base = "https://{HOST}:{self.port}"\n'
                f'data_dir = "{self.folder}/data"\n'
                f"[issuer]\nenabled = true\n"
                f"[accounts]\nunits_per_month = 1000000\ncalls_per_minute = 100000\ncalls_at_once = 64\n"
                f'[operator]\nlisten = "127.0.0.1:{self.operator}"\n{self.sections}'
            )
        self.log = open(os.path.join(self.folder, "log"), "wb")

        def few_files():
            if self.files:
                resource.setrlimit(resource.RLIMIT_NOFILE, (self.files, self.files))

        self.process = subprocess.Popen(
            [self.binary, "serve", "--config", config],
            stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL, preexec_fn=few_files,
        )
        try:
            self.wait_until_it_answers()
            printed = subprocess.run([self.binary, "token", "--config", config],
                                     capture_output=True, check=True, timeout=20)
            self.token = printed.stdout.decode().split()[-1]
        except BaseException:
            self.__exit__()
            raise
        return self

    def wait_until_it_answers(self):
        until = time.monotonic() + STARTS_WITHIN_S
        while True:
            try:
                with self.speak(timeout=2) as stream:
                    stream.sendall(b"GET /readyz HTTP/1.1\r\nHost: %s\r\n\r\n" % HOST.encode())
                    if stream.recv(12) == b"HTTP/1.1 200":
                        return
            except OSError:
                pass
            if self.process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"the server did not start:\n{self.lines_of_log()[-2000:].decode()}")
            time.sleep(0.05)

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(ENDS_WITHIN_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()
        sweep = os.environ.get("ONO_SWEEP")
        if sweep and os.path.isdir(os.path.join(sweep, "logs")):
            with open(os.path.join(sweep, "secrets-hostile"), "a", encoding="utf-8") as secrets:
                secrets.writelines(f"of the hostile peers\t{part}\n" for part in self.token_parts())
            shutil.copy(self.log.name, os.path.join(sweep, "logs", f"hostile-{self.port}"))
        shutil.rmtree(self.folder, ignore_errors=True)

    def token_parts(self):
        return [part for part in getattr(self, "token", "").split(".")[1:] if len(part) >= 16]

    def lives(self):
        return self.process.poll() is None

    def lines_of_log(self):
        with open(self.log.name, "rb") as log:
            return log.read()

    def proc(self, name):
        with open(f"/proc/{self.process.pid}/{name}", encoding="ascii") as file:
            return file.read()

    def resident_mib(self):
        return int(re.search(r"VmRSS:\s+(\d+)", self.proc("status"))[1]) / 1024

    def cpu_s(self):
        fields = self.proc("stat").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def open_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def figures(self):
        """What the operator's listener says: name with labels, then value."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.operator}/metrics", timeout=5) as page:
            text = page.read().decode()
        return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1])
                for line in text.splitlines() if line and not line.startswith("#")}

    def open_connections(self):
        return int(self.figures()["ono_connections_open"])

    def connect(self, source=None, small=False, timeout=20):
        """A TCP connection from `source`; `small` takes as little at once as the system allows."""
        tcp = socket.socket()
        tcp.settimeout(timeout)
        if small:
            tcp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            tcp.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16 * 1024)
        if source:
            tcp.bind((source, 0))
        tcp.connect((self.listen, self.port))
        return tcp

    def speak(self, alpn="http/1.1", context=None, **more):
        """A connection whose handshake is done."""
        tcp = self.connect(**more)
        try:
            return (context or tls((alpn,))).wrap_socket(tcp, server_hostname=HOST)
        except BaseException:
            tcp.close()
            raise


def tcp_mib():
    """What the system holds for TCP, of all programs."""
    with open("/proc/net/sockstat", encoding="ascii") as file:
        return int(re.search(r"TCP:.* mem (\d+)", file.read())[1]) * os.sysconf("SC_PAGE_SIZE") / 1024 / 1024


class Peak:
    """Watches the memory of a server, and that of the system for TCP, while the `with` lasts."""

    def __init__(self, server):
        self.server, self.ends = server, threading.Event()

    def __enter__(self):
        self.before = self.most = self.server.resident_mib()
        self.tcp_before = self.tcp_most = tcp_mib()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()
        return self

    def watch(self):
        while not self.ends.wait(0.1):
            try:
                self.most = max(self.most, self.server.resident_mib())
                self.tcp_most = max(self.tcp_most, tcp_mib())
            except (OSError, TypeError):
                return

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()
