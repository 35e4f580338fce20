"""HTTP/2 by hand: frames out, frames in, so that a test sees exactly what the server put on the wire."""

import collections
import socket
import ssl
import struct
import time

import hpack

from server import PATIENCE

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE = range(9)
ACK = END_STREAM = 0x1
END_HEADERS = 0x4
REFUSED_STREAM = 7

Frame = collections.namedtuple("Frame", "type flags stream payload")


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def settings(**values):
    numbers = {"header_table_size": 1, "enable_push": 2, "initial_window_size": 4}
    return frame(SETTINGS, payload=b"".join(struct.pack(">HI", numbers[name], value) for name, value in values.items()))


def literal(name, value):
    """One header field, HPACK literal without indexing and without Huffman coding, so that it can be mutated."""
    parts = b"\x00"
    for part in (name, value):
        part = part if isinstance(part, bytes) else part.encode()
        if len(part) < 127:
            parts += bytes([len(part)])
        else:
            rest, parts = len(part) - 127, parts + b"\x7f"
            while rest >= 128:
                parts, rest = parts + bytes([rest % 128 + 128]), rest // 128
            parts += bytes([rest])
        parts += part
    return parts


def block(fields):
    return b"".join(literal(name, value) for name, value in fields)


class Closed(Exception):
    """The server ended the connection."""


class Connection:
    """A TLS connection to the server. With `start`, preface and SETTINGS are sent and the server's are acknowledged."""

    def __init__(self, server, context=None, start=True, receive_buffer=None, timeout=PATIENCE, **own_settings):
        self.timeout = timeout
        self.raw = socket.socket()
        if receive_buffer:
            self.raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.raw.settimeout(timeout)
        try:
            self.raw.connect(("127.0.0.1", server.port))
            self.raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.socket = (context or server.tls()).wrap_socket(self.raw, server_hostname="127.0.0.1")
        except BaseException:
            self.raw.close()
            raise
        self.buffer = b""
        self.decoder = hpack.Decoder()
        self.decoder.max_header_list_size = 1 << 20
        self.last_stream = -1
        if start:
            try:
                self.begin(own_settings)
            except BaseException:
                self.close()
                raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def begin(self, own_settings):
        self.send(PREFACE + settings(**own_settings))
        self.expect(SETTINGS)
        self.send(frame(SETTINGS, ACK))
        self.expect(SETTINGS, flags=ACK)

    def close(self):
        self.socket.close()

    def reset(self):
        """Ends TCP by RST."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def deadline(self, timeout):
        return time.monotonic() + (self.timeout if timeout is None else timeout)

    def receive(self, timeout=None):
        """The next frame. Raises Closed at the end of the connection, TimeoutError when there is none."""
        deadline = self.deadline(timeout)
        while True:
            if len(self.buffer) >= 9:
                length = int.from_bytes(self.buffer[:3], "big")
                if len(self.buffer) >= 9 + length:
                    kind, flags, stream = struct.unpack(">BBI", self.buffer[3:9])
                    payload, self.buffer = self.buffer[9 : 9 + length], self.buffer[9 + length :]
                    return Frame(kind, flags, stream & 0x7FFFFFFF, payload)
            self.socket.settimeout(max(deadline - time.monotonic(), 0.001))
            try:
                data = self.socket.recv(65536)
            except (ConnectionError, ssl.SSLEOFError, ssl.SSLZeroReturnError) as error:
                raise Closed(str(error)) from error
            if not data:
                raise Closed("end of file")
            self.buffer += data

    def expect(self, kind, flags=None, stream=None, timeout=None):
        got = self.receive(timeout)
        assert got.type == kind, f"expected frame type {kind}, got {got}"
        assert flags is None or got.flags == flags, f"expected flags {flags}, got {got}"
        assert stream is None or got.stream == stream, f"expected stream {stream}, got {got}"
        return got

    def until(self, kind, stream=None, timeout=None):
        """All frames up to and with the first one of this type."""
        frames, deadline = [], self.deadline(timeout)
        while True:
            frames.append(self.receive(max(deadline - time.monotonic(), 0.001)))
            if frames[-1].type == kind and stream in (None, frames[-1].stream):
                return frames

    def until_closed(self, timeout=None):
        """All frames up to the end of the connection."""
        frames, deadline = [], self.deadline(timeout)
        try:
            while True:
                frames.append(self.receive(max(deadline - time.monotonic(), 0.001)))
        except Closed:
            return frames

    def next_stream(self):
        self.last_stream += 2
        return self.last_stream

    def request(self, fields, body=b"", end=True, stream=None):
        """Sends one request; without `end` its stream stays half open."""
        stream = stream or self.next_stream()
        bare = end and not body
        data = frame(HEADERS, END_HEADERS | (END_STREAM if bare else 0), stream, block(fields))
        if not bare:
            data += frame(DATA, END_STREAM if end else 0, stream, body)
        self.send(data)
        return stream

    def answer(self, stream, timeout=None):
        """(header list, body, the frames of this stream) of one answer; frames of the connection are skipped."""
        frames = []
        while True:
            got = self.receive(timeout)
            if got.stream != stream or got.type == WINDOW_UPDATE:
                continue
            frames.append(got)
            if got.type == RST_STREAM or got.flags & END_STREAM:
                break
        headers = [self.fields(got) for got in frames if got.type == HEADERS]
        body = b"".join(got.payload for got in frames if got.type == DATA)
        return (headers[0] if headers else None), body, frames

    def fields(self, headers_frame):
        return [(name, value) for name, value in self.decoder.decode(headers_frame.payload)]


def push(token, path, **changes):
    """The header list of a push, in an order that providers use."""
    fields = {
        ":method": "POST", ":scheme": "https", ":authority": "127.0.0.1", ":path": path,
        "authorization": f"bearer {token}", "apns-topic": "com.example.app", "apns-push-type": "alert",
    }
    fields.update({name.replace("_", "-"): value for name, value in changes.items()})
    return [(name, value) for name, value in fields.items() if value is not None]
