"""The server that is attacked, and the same look at its health after every attack."""

import collections
import contextlib
import http.client
import json
import math
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "PythonSupport"))

import wire
from server import EXECUTABLE, Server, device
from wire import END_STREAM, HEADERS

MB = 1 << 20
PATH = "/3/device/" + device(7)
BODY = b'{"aps":{"alert":"Hello"}}'
SOON = 1.0  # seconds in which a good push is answered
END = 8.0  # seconds from SIGTERM to the end: open streams have 5, the rest is for a machine that is busy

Attack = collections.namedtuple("Attack", "name function options memory seconds ends")
ATTACKS = {}


def attack(name, *options, memory=16, seconds=60, ends=False):
    """Registers an attack: a function of victim, random numbers and scale, which returns figures for people.

    `memory` is by how many MB the server may have grown after it, `seconds` how long it may take at scale 1, `ends`
    whether it ends the server itself, whose health is not looked at then.
    """

    def register(function):
        ATTACKS[name] = Attack(name, function, options, memory, seconds, ends)
        return function

    return register


class Failure(Exception):
    """The server did not stand an attack."""


class Skip(Exception):
    """An attack that this machine does not allow."""


def demand(condition, what):
    if not condition:
        raise Failure(what)


class Victim(Server):
    """A server; ended by SIGTERM, which has to work."""

    def __init__(self, *options):
        super().__init__(*([] if "--verbose" in options else ["--quiet"]), *options)
        self.gave_up = False

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.exit_code = self.process.wait()
        # A server that was ended by force is a failure already.
        with contextlib.suppress(AssertionError):
            super().__exit__(None, None, None)

    @contextlib.contextmanager
    def watched(self, seconds):
        """Ends the server by force when what is within takes too long, so that no attack waits for it forever."""

        def give_up():
            self.gave_up = True
            self.process.kill()

        timer = threading.Timer(seconds, give_up)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            demand(not self.gave_up, f"took longer than {seconds:.0f} s")

    # What can be seen from outside

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def until_idle(self, seconds=200):
        """Waits until it has done what it was given, also where others leave it little of the machine."""
        end, idle, worked = time.monotonic() + seconds, 0, self.processor_seconds()
        while idle < 3:
            demand(time.monotonic() < end, f"still at work after {seconds} s")
            time.sleep(1)
            before, worked = worked, self.processor_seconds()
            idle = idle + 1 if worked == before else 0

    def call(self, method, path, value=None, timeout=10.0, headers=None):
        """(status, body) of one call to the admin API, on a connection of its own."""
        address, port = self.admin.removeprefix("http://").rsplit(":", 1)
        connection = http.client.HTTPConnection(address, int(port), timeout=timeout)
        try:
            body = None if value is None else value if isinstance(value, bytes) else json.dumps(value).encode()
            connection.request(method, path, body, {"Connection": "close", **(headers or {})})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def admin_socket(self, timeout=10.0):
        address, port = self.admin.removeprefix("http://").rsplit(":", 1)
        return socket.create_connection((address, int(port)), timeout)

    def metric(self, name):
        for line in self.call("GET", "/metrics")[1].decode().splitlines():
            if line.startswith(f"mock_apns_{name} "):
                return float(line.split()[1])
        return None

    def push(self, timeout=10.0, body=BODY, **changes):
        """The status of one push on a connection of its own, and the seconds that all of it took."""
        began = time.monotonic()
        with wire.Connection(self, timeout=timeout) as connection:
            stream = connection.request(wire.push(self.token_text, PATH, **changes), body)
            headers, _, _ = connection.answer(stream, timeout)
            return int(dict(headers)[":status"]), time.monotonic() - began

    def push_many(self, count, body=BODY, connection=None):
        """Sends so many good pushes on one connection, a hundred at a time; returns the slowest hundred's seconds."""
        slowest = 0.0
        with contextlib.ExitStack() as stack:
            if connection is None:
                connection = stack.enter_context(wire.Connection(self))
                connection.answer(connection.request(wire.push(self.token_text, PATH), BODY))
            fields = wire.push(self.token_text, PATH)
            for start in range(0, count, 100):
                began = time.monotonic()
                # No more at once than the client's window for bodies lets through.
                left = {connection.request(fields, body) for _ in range(min(100, count - start, 60_000 // len(body)))}
                while left:
                    got = connection.receive()
                    if got.type == HEADERS and got.flags & END_STREAM:
                        left.discard(got.stream)
                slowest = max(slowest, time.monotonic() - began)
        return slowest

    def prepare(self):
        """Fills pools and the log, so that later growth is growth; remembers what is usual."""
        self.token_text = self.token()
        self.push_many(3000)
        self.call("GET", "/readyz")
        self.call("POST", "/api/v1/requests/count", {})
        time.sleep(0.3)
        self.usual = self.resident(), self.descriptors()

    # After an attack

    def check(self, memory):
        """Whether it is as well as before; returns figures."""
        demand(self.process.poll() is None, f"ended by itself with {self.process.poll()}: {self.stderr()[-500:]}")
        # What the attack has ordered is to end with it.
        self.call("PUT", "/api/v1/scenario", {})
        self.call("POST", "/api/v1/reset", b"")
        seconds = ready_seconds = math.inf
        # On a busy machine a single one may be late; a server that is not well is late each time.
        for _ in range(5):
            try:
                status, took = self.push(timeout=10)
            except (OSError, wire.Closed, AssertionError) as error:
                raise Failure(f"a good push was not answered: {error!r}") from error
            demand(status == 200, f"a good push was answered {status}")
            seconds, began = min(seconds, took), time.monotonic()
            ready, _ = self.call("GET", "/readyz")
            demand(ready == 200, f"/readyz was {ready}")
            ready_seconds = min(ready_seconds, time.monotonic() - began)
            if max(seconds, ready_seconds) <= SOON:
                break
        demand(seconds <= SOON, f"a good push took {seconds:.2f} s or more")
        demand(ready_seconds <= SOON, f"/readyz took {ready_seconds:.2f} s or more")
        resident, descriptors = self.usual
        deadline = time.monotonic() + 15
        while time.monotonic() < deadline:
            grown, more = (self.resident() - resident) / MB, self.descriptors() - descriptors
            if grown <= memory and more <= 4:
                break
            time.sleep(0.2)
        demand(more <= 4, f"{more} descriptors more than before")
        demand(grown <= memory, f"{grown:.1f} MB more than before")
        return f"push {seconds * 1000:.0f} ms, ready {ready_seconds * 1000:.0f} ms, {more:+d} fd, {grown:+.1f} MB"

    def end(self):
        """SIGTERM, and soon the end; returns figures."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(END)
        except subprocess.TimeoutExpired as error:
            raise Failure(f"still there {END:.0f} s after SIGTERM") from error
        demand(code == 0, f"exit code {code} after SIGTERM: {self.stderr()[-500:]}")
        return f"end {time.monotonic() - began:.2f} s"
