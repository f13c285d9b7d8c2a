"""HTTP/1.1 and HTTP/2 by hand, so that anything can be said that no library would say; and watching peers being cut off."""

import select
import ssl
import struct
import time

from server import HOST

DATA, HEADERS, PRIORITY, RESET, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION = range(10)
END_STREAM = ACK = 1
END_HEADERS = 4
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
INITIAL_WINDOW = 4


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def setting(identifier, value):
    return struct.pack(">HI", identifier, value)


def literal(name, value):
    """A field that is not indexed; both texts are short of 127 bytes."""
    return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value


def pseudo(method, path):
    method = {b"GET": b"\x82", b"POST": b"\x83"}[method]
    host = HOST.encode()
    return method + b"\x87" + b"\x04" + bytes([len(path)]) + path + b"\x01" + bytes([len(host)]) + host


def request(stream, method=b"POST", path=b"/mcp", body=b"", fields=(), ends=True):
    """HEADERS and, when there is a body, DATA."""
    block = pseudo(method, path)
    if body:
        block += literal(b"content-type", b"application/json")
    block += b"".join(literal(name, value) for name, value in fields)
    last = END_STREAM if ends else 0
    if not body:
        return frame(HEADERS, END_HEADERS | last, stream, block)
    return frame(HEADERS, END_HEADERS, stream, block) + frame(DATA, last, stream, body)


def greet(stream, settings=b""):
    stream.sendall(PREFACE + frame(SETTINGS, payload=settings))


def frames(stream, for_s=5.0):
    """Frames that come within this time; ends early when the peer closes."""
    buffer, until = b"", time.monotonic() + for_s
    while time.monotonic() < until:
        stream.settimeout(max(0.01, until - time.monotonic()))
        try:
            piece = stream.recv(65536)
        except TimeoutError:
            return
        except OSError:
            return
        if not piece:
            return
        buffer += piece
        while len(buffer) >= 9:
            length = int.from_bytes(buffer[:3], "big")
            if len(buffer) < 9 + length:
                break
            yield buffer[3], buffer[4], int.from_bytes(buffer[5:9], "big"), buffer[9:9 + length]
            buffer = buffer[9 + length:]


def pour(stream, bytes_, for_s, reads=False):
    """The same bytes again and again; how many were taken, and whether the peer closed meanwhile. `reads` takes what comes."""
    sent, until = 0, time.monotonic() + for_s
    stream.settimeout(1)
    try:
        while time.monotonic() < until:
            try:
                stream.sendall(bytes_)
            except TimeoutError:
                # A peer that reads no further holds up the flood, which is an answer too.
                return sent, False
            sent += len(bytes_)
            if reads and drained(stream):
                return sent, True
    except OSError:
        return sent, True
    return sent, False


def drained(stream):
    """Takes what has come; whether the peer closed."""
    stream.settimeout(0)
    try:
        while stream.recv(262_144):
            pass
        return True
    except (BlockingIOError, ssl.SSLWantReadError):
        return False
    finally:
        stream.settimeout(1)


class Watch:
    """When each of many sockets is ended by the other side, without reading from it."""

    def __init__(self, sockets):
        self.poller = select.epoll()
        self.by_fd = {one.fileno(): one for one in sockets}
        self.began = dict.fromkeys(self.by_fd, time.monotonic())
        self.lived = []
        for fd in self.by_fd:
            self.poller.register(fd, select.EPOLLRDHUP | select.EPOLLHUP | select.EPOLLERR)

    def left(self):
        return len(self.by_fd)

    def until(self, deadline):
        """Watches until all are gone or the time has come."""
        while self.by_fd and (rest := deadline - time.monotonic()) > 0:
            for fd, _ in self.poller.poll(min(rest, 0.2)):
                self.poller.unregister(fd)
                self.by_fd.pop(fd).close()
                self.lived.append(time.monotonic() - self.began[fd])
        return not self.by_fd

    def close(self):
        self.poller.close()
        for one in self.by_fd.values():
            one.close()
        self.by_fd.clear()
