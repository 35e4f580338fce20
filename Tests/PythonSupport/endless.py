"""Peers whose answers never end: servers for `probe`, engines for a fleet, drivers for `suite`.

Each server and each engine listens on a free port of 127.0.0.1, and ends what it sends when its block ends.

    with endless.Server("ping") as server:
        code, output = endless.watch([EXECUTABLE, "probe", *server.words, "--only", "headers"])
"""

import contextlib
import os
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

import wire
from server import EXECUTABLE, PATIENCE, TOPIC

MB = 1 << 20
# Maximum resident memory of a client, whatever it is sent. It has some 35 MB before it is sent anything.
MEMORY = 150 * MB
PIECE = 1 << 16
CONTINUATION = 9
# An HPACK literal that enters a name of one byte with a value of 4,000 bytes into the dynamic table.
_ENTRY = b"\x40\x01x\x7f" + bytes([(4000 - 127) % 128 | 128, (4000 - 127) // 128]) + b"a" * 4000
# Each byte is the whole entry again.
_BOMB = b"\xbe" * (16_384 - len(_ENTRY))
# HTTP/2 frames, sent again and again after SETTINGS. The first stream of a client is 1.
_FRAMES = {
    "settings": wire.frame(wire.SETTINGS, 0, 0, bytes.fromhex("000300000064") * 100),
    "acknowledgements": wire.frame(wire.SETTINGS, wire.ACK, 0),
    "ping": wire.frame(wire.PING, 0, 0, b"ping" * 2),
    "goaway": wire.frame(wire.GOAWAY, 0, 0, bytes(8) + b'{"reason":"Shutdown"}'),
    "data": wire.frame(wire.DATA, 0, 1, b"x" * 16_384),
    "empty-data": wire.frame(wire.DATA, 0, 1),
    "informational": wire.frame(wire.HEADERS, wire.END_HEADERS, 1, b"\x08\x03103"),
    "reset": wire.frame(wire.RST_STREAM, 0, 1, bytes.fromhex("00000007")),
    "window-update": wire.frame(wire.WINDOW_UPDATE, 0, 0, bytes.fromhex("7fffffff")),
    # Eight bytes instead of four: a sum of two of them is beyond 63 bits.
    "long-window-update": wire.frame(wire.WINDOW_UPDATE, 0, 0, bytes.fromhex("7fffffffffffffff")),
    "push-promise": wire.frame(wire.PUSH_PROMISE, wire.END_HEADERS, 1, bytes.fromhex("00000002") + b"\x88"),
    "unknown-frame": wire.frame(0xEE, 0, 0, b"x" * 1000),
    "continuation": wire.frame(CONTINUATION, 0, 1, bytes(16_384)),
    "hpack-bomb": wire.frame(wire.HEADERS, wire.END_HEADERS, 1, b"\xbe" * 16_384),
}
_BEFORE = {
    "continuation": wire.frame(wire.HEADERS, 0, 1, bytes(100)),
    "hpack-bomb": wire.frame(wire.HEADERS, wire.END_HEADERS, 1, _ENTRY + _BOMB),
}
# What comes instead of HTTP/2 once TLS is up: bytes at once, then bytes again and again.
_TEXTS = {
    "long-frame": (wire.frame(wire.SETTINGS, 0, 0) + b"\xff\xff\xff\x00\x00" + bytes(4), bytes(PIECE)),
    "http1": (b"HTTP/1.1 200 OK\r\n\r\n", b"x" * PIECE),
}
# What comes instead of TLS.
_RECORDS = {
    # A message of 16 MB, in records of 16 KB.
    "handshake-message": (b"", b"\x16\x03\x03\x40\x00" + b"\x02\xff\xff\xff" + bytes(16_380)),
    "change-cipher-spec": (b"", b"\x14\x03\x03\x00\x01\x01"),
    "warnings": (b"", b"\x15\x03\x03\x00\x02\x01\x5a"),
    "no-tls": (b"", b"x" * PIECE),
}
# What comes a byte at a time, one a second.
_DRIPS = {"drip": wire.frame(wire.DATA, 0, 1, bytes(16_384)), "drip-handshake": b"\x16\x03\x03\x40\x00" + bytes(16_384)}
# What takes a connection and says nothing: before TLS, and after SETTINGS.
_SILENT = ["silent-handshake", "silent"]

KINDS = [*_FRAMES, *_TEXTS, *_RECORDS, *_DRIPS, *_SILENT]
# Those that do not even begin to speak HTTP/2.
WITHOUT_HTTP2 = ["http1", *_RECORDS, "drip-handshake", "silent-handshake"]
# Those that send as much as they can, and those that hardly send anything.
FAST = [kind for kind in KINDS if kind not in [*_DRIPS, *_SILENT]]
SLOW = [*_DRIPS, *_SILENT]

# What an engine answers to the first command of a connection: bytes at once, then bytes again and again.
_REPLIES = {
    "bulk": (b"$536870912\r\n", b"x" * PIECE),
    "array": (b"*1000000000\r\n", b":1\r\n" * (PIECE // 4)),
    "texts": (b"*1000000000\r\n", b"$1000\r\n" + b"x" * 1000 + b"\r\n"),
    "nested": (b"", b"*1\r\n" * (PIECE // 4)),
    "wide": (b"*1000000\r\n" * 6, b"*1000000\r\n" + b":1\r\n" * (PIECE // 4)),
    "announced": (b"*2147483647\r\n" * 6, b""),
    "line": (b"+", b"x" * PIECE),
    "error": (b"-ERR ", b"x" * PIECE),
    "number": (b":", b"1" * PIECE),
    "length": (b"$", b"0" * PIECE),
    "unasked": (b"", b"+OK\r\n" * (PIECE // 5)),
}
ENGINE_KINDS = [*_REPLIES, "drip", "silent"]


def peak(process):
    """The most memory that a process has had, in bytes; 0 where that cannot be seen, or when it has ended."""
    with contextlib.suppress(OSError), open(f"/proc/{process.pid}/status") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def watch(command, memory=MEMORY, interrupt=None, seconds=PATIENCE, **options):
    """The exit code and the output of a command that has to end by itself, with no more memory than this.

    `interrupt` is called with what it has written so far; once it says so, the command gets one SIGINT.
    """
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, **options)
        end = time.monotonic() + seconds
        told = lambda: os.pread(output.fileno(), 10 * MB, 0).decode(errors="replace")
        try:
            while process.poll() is None:
                most = peak(process)
                assert most <= memory, f"{most // MB} MB: {told()[-2000:]}"
                assert time.monotonic() < end, f"still there: {told()[-2000:]}"
                if interrupt and interrupt(told()):
                    process.send_signal(signal.SIGINT)
                    interrupt = None
                time.sleep(0.01)
        finally:
            process.kill()
            process.wait()
        return process.returncode, told()


# What an admin API answers to each call, without TLS: bytes at once, then bytes again and again.
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
_CALLS = {
    "body": (_HEAD + b"\r\n", b"x" * PIECE),
    "json": (_HEAD + b"\r\n{\"scenario\":[", b"[],"),
    "chunks": (_HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    "field": (_HEAD + b"x: ", b"x" * PIECE),
    "fields": (_HEAD, b"x: y\r\n"),
    "informational": (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    "status": (b"HTTP/1.1 200 ", b"x" * PIECE),
}
ADMIN_KINDS = [*_CALLS, "drip", "silent"]


class _Listener:
    """Gives each connection a thread of its own, and closes all of them when the block ends."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port = self.socket.getsockname()[1]
        self.ending = threading.Event()
        self.lock = threading.Lock()
        self.open, self.threads = set(), []
        # Of all connections.
        self.connections = self.sent = 0

    def __enter__(self):
        self.accepting = threading.Thread(target=self._accept, daemon=True)
        self.accepting.start()
        return self

    def _accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            if self.ending.is_set():
                connection.close()
                return
            self._start(self._serve_one, connection)

    def _start(self, function, *arguments):
        thread = threading.Thread(target=function, args=arguments, daemon=True)
        with self.lock:
            self.threads.append(thread)
        thread.start()

    def _serve_one(self, connection):
        with self.lock:
            self.connections += 1
            self.open.add(connection)
        with contextlib.suppress(OSError, ValueError), connection:
            self.serve(connection)
        with self.lock:
            self.open.discard(connection)

    def __exit__(self, *_):
        self.ending.set()
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
        self.accepting.join(PATIENCE)
        self.socket.close()
        with self.lock:
            left = list(self.open)
        for connection in left:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join(PATIENCE)

    # What a connection may do

    def flood(self, connection, first, again):
        """Sends without end, as fast as the other end reads."""
        connection.sendall(first)
        if not again:
            return self.hold(connection)
        again *= max(1, PIECE // len(again))
        while not self.ending.is_set():
            connection.sendall(again)
            self.sent += len(again)

    def drip(self, connection, text):
        """Sends a byte a second."""
        for byte in text:
            connection.sendall(bytes([byte]))
            if self.ending.wait(1):
                return

    def hold(self, connection):
        """Keeps it open, and reads what comes."""
        while connection.recv(PIECE):
            pass
        self.ending.wait()


class Server(_Listener):
    """A server for `probe`, with TLS where the real one has TLS, and a certificate of `mock-apns certs`."""

    _folder = None

    def __init__(self, kind):
        assert kind in KINDS, kind
        super().__init__()
        self.kind = kind
        if Server._folder is None:
            folder = tempfile.TemporaryDirectory(prefix="mock-apns-endless-")
            subprocess.run([EXECUTABLE, "certs", "--certs", folder.name], check=True, capture_output=True, timeout=PATIENCE)
            Server._folder = folder
        self.certs = Server._folder.name
        self.url = f"https://127.0.0.1:{self.port}"
        self.authority = f"{self.certs}/ca.pem"
        # The options with which a probe asks it.
        self.words = ["--url", self.url, "--ca", self.authority, "--key", f"{self.certs}/AuthKey_ABC123DEFG.p8",
                      "--key-id", "ABC123DEFG", "--team-id", "DEF123GHIJ", "--topic", TOPIC]
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(f"{self.certs}/server.pem", f"{self.certs}/server.key")
        self.context.set_alpn_protocols(["h2"])

    def serve(self, connection):
        kind = self.kind
        if kind == "silent-handshake":
            return self.hold(connection)
        if kind in _RECORDS:
            connection.recv(PIECE)
            return self.flood(connection, *_RECORDS[kind])
        if kind == "drip-handshake":
            return self.drip(connection, _DRIPS[kind])
        # Its own, so that a shutdown of the socket ends what the TLS object waits for.
        with self.context.wrap_socket(connection.dup(), server_side=True) as tls:
            if kind in _TEXTS:
                return self.flood(tls, *_TEXTS[kind])
            tls.sendall(wire.frame(wire.SETTINGS, 0, 0))
            if kind == "silent":
                return self.hold(tls)
            if kind == "drip":
                return self.drip(tls, _DRIPS[kind])
            self.flood(tls, _BEFORE.get(kind, b""), _FRAMES[kind])


class Engine(_Listener):
    """An engine for a fleet, without TLS.

    With another engine behind it, it passes on everything until `turn` is called; from then on, each command gets an
    answer that never ends.
    """

    def __init__(self, kind, behind=None):
        assert kind in ENGINE_KINDS, kind
        super().__init__()
        self.kind, self.behind = kind, behind
        self.url = f"redis://127.0.0.1:{self.port}"
        self.turned = threading.Event()
        if behind is None:
            self.turned.set()

    def turn(self):
        """Answers without end from now on."""
        self.turned.set()

    def serve(self, connection):
        if self.behind is None:
            connection.recv(PIECE)
            return self.answer(connection)
        with socket.create_connection(("127.0.0.1", self.behind.port)) as engine:
            self._start(self._pass_on, engine, connection)
            try:
                while command := connection.recv(PIECE):
                    if self.turned.is_set():
                        break
                    engine.sendall(command)
            finally:
                # Nothing more comes from behind. A close alone would not wake who waits for it.
                with contextlib.suppress(OSError):
                    engine.shutdown(socket.SHUT_RDWR)
            if command:
                self.answer(connection)

    def _pass_on(self, engine, connection):
        with contextlib.suppress(OSError):
            while reply := engine.recv(PIECE):
                if self.turned.is_set():
                    return
                connection.sendall(reply)

    def answer(self, connection):
        if self.kind == "silent":
            return self.hold(connection)
        if self.kind == "drip":
            return self.drip(connection, b"$1000000\r\n" + b"x" * 1_000_000)
        self.flood(connection, *_REPLIES[self.kind])


class Admin(_Listener):
    """A server that is asked by `ready` and `verify --admin`."""

    def __init__(self, kind):
        assert kind in ADMIN_KINDS, kind
        super().__init__()
        self.kind = kind
        self.url = f"http://127.0.0.1:{self.port}"

    def serve(self, connection):
        connection.recv(PIECE)
        if self.kind == "silent":
            return self.hold(connection)
        if self.kind == "drip":
            return self.drip(connection, _HEAD + b"\r\n" + b"x" * 1_000_000)
        self.flood(connection, *_CALLS[self.kind])


# Drivers for `suite`, as texts of Python.
_DRIVERS = {
    "error-bytes": "while True: os.write(2, b'x' * 65536)",
    "error-lines": "while True: os.write(2, b'a remark\\n' * 8192)",
    "output-bytes": "while True: os.write(1, b'x' * 65536)",
    "output-lines": "while True: os.write(1, b'x\\n' * 32768)",
    "empty-lines": "while True: os.write(1, b'\\n' * 65536)",
    "unknown-pushes": """while True: os.write(1, b'{"id": "7", "status": 200}\\n' * 2048)""",
    "repeated-pushes": """while True: os.write(1, b'{"id": "1", "status": 200}\\n' * 2048)""",
    "output-drip": "while True: os.write(1, b' '); time.sleep(0.2)",
    "ignores-the-end": """os.write(1, b'{"id": "1", "status": 200}\\n')\nwhile True: time.sleep(1)""",
    # It leaves the driver's process group, and keeps the pipes.
    "escaped": "subprocess.Popen([sys.executable, '-c', 'import os\\nwhile True: os.write(2, b\"x\" * 65536)'],"
               " start_new_session=True)\nwhile True: os.write(1, b'x' * 65536)",
}
DRIVER_KINDS = list(_DRIVERS)


def driver(kind):
    """The command of a driver that never ends what it writes, once it has its first push."""
    text = "import os, subprocess, sys, time\nsys.stdin.readline()\n" + _DRIVERS[kind]
    return [sys.executable, "-c", text]
