"""The members of a fleet end in time, whatever its engine does."""

import contextlib
import http.client
import signal
import socket
import subprocess
import threading
import time

import fleets
from fleets import Collector, Engine, FleetCase
from server import EXECUTABLE, PATIENCE, shortest, until

# Container runtimes kill after 10 s; a collector takes 5 at most.
LIMIT = 5


class Deaf:
    """An engine's port: it takes connections, and answers nothing."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.url = f"redis://127.0.0.1:{self.listener.getsockname()[1]}"
        # Something has been asked.
        self.asked = threading.Event()
        self.open = []

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                self.open.append(connection)
                threading.Thread(target=self.read, args=(connection,), daemon=True).start()

    def read(self, connection):
        with contextlib.suppress(OSError):
            while connection.recv(1 << 16):
                self.asked.set()

    def __exit__(self, *_):
        self.listener.close()
        for connection in self.open:
            connection.close()


class Way(fleets.Relay):
    """A way to the engine that can be blocked: connections are taken, and nothing comes through any more."""

    def __init__(self, engine):
        super().__init__(engine)
        self.blocked = threading.Event()
        # What was sent to the engine since.
        self.held = b""

    def serve(self, client):
        server = socket.create_connection(("127.0.0.1", self.engine.port))

        def forward(source, target):
            with contextlib.suppress(OSError):
                while data := source.recv(1 << 20):
                    if not self.blocked.is_set():
                        target.sendall(data)
                    elif source is client:
                        self.held += data
                target.shutdown(socket.SHUT_RDWR)

        threading.Thread(target=forward, args=(client, server), daemon=True).start()
        forward(server, client)

    def until_asked(self, word):
        until(lambda: word in self.held, lambda: f"nothing with {word} is sent to the engine")


class FleetEndings(FleetCase):
    def seconds(self, member):
        """From SIGTERM to the end, with exit code 0."""
        start = time.monotonic()
        member.process.terminate()
        code = member.process.wait(PATIENCE)
        seconds = time.monotonic() - start
        self.assertEqual(code, 0, member.stderr())
        return seconds

    # What may become of an engine, as context managers that yield its address and what makes it so.

    @contextlib.contextmanager
    def gone(self):
        with Engine() as engine:
            yield engine, engine.kill

    @contextlib.contextmanager
    def standing_still(self):
        with Engine() as engine:
            yield engine, lambda: engine.signal(signal.SIGSTOP)

    @contextlib.contextmanager
    def silent(self):
        with Engine() as engine, Way(engine) as way:
            yield way, way.blocked.set

    def test_a_collector_ends_within_5_s(self):
        scenario = self.scenario(1)
        for fault in self.gone, self.standing_still, self.silent:
            def ending():
                with fault() as (engine, strike), Collector(engine, scenario) as collector:
                    strike()
                    seconds = self.seconds(collector)
                    told = collector.stderr()
                    self.assertIn("FAILED", told)
                    self.assertIn("the engine cannot be reached", told)
                    return seconds

            with self.subTest(fault=fault.__name__):
                self.assertLess(shortest(LIMIT, (ending() for _ in range(3))), LIMIT)

    def test_a_replica_ends_within_5_s(self):
        for fault in self.gone, self.standing_still, self.silent:
            def ending():
                with fault() as (engine, strike), self.replica(engine, "a") as replica:
                    self.push(replica, 10)
                    strike()
                    # Their frame cannot be shipped.
                    self.push(replica, 10)
                    seconds = self.seconds(replica)
                    self.assertIn("could not be shipped", replica.stderr())
                    replica.exit_code = 0
                    return seconds

            with self.subTest(fault=fault.__name__):
                self.assertLess(shortest(LIMIT + 1, (ending() for _ in range(3))), LIMIT + 1)

    def test_collectors_asked_for_a_verdict_still_end(self):
        def ending():
            with Engine() as engine, Way(engine) as way, Collector(way, self.scenario(1)) as collector:
                way.blocked.set()
                verdict = subprocess.Popen(
                    [EXECUTABLE, "verify", "--admin", collector.admin], stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL)
                # The verdict waits for the engine.
                way.until_asked(b"mark")
                seconds = self.seconds(collector)
                verdict.wait(PATIENCE)
                return seconds

        self.assertLess(shortest(LIMIT, (ending() for _ in range(3))), LIMIT)

    def test_a_second_signal_ends_a_collector_at_once(self):
        with Engine() as engine, Way(engine) as way, Collector(way, self.scenario(1)) as collector:
            way.blocked.set()
            collector.process.terminate()
            way.until_asked(b"mark")
            collector.process.terminate()
            self.assertEqual(collector.process.wait(PATIENCE), 130)
            collector.process.returncode = 0

    def test_sigterm_before_an_engine_has_answered(self):
        for command in (
            [EXECUTABLE, "collect", "--admin-port", "0"],
            [EXECUTABLE, "serve", "--port", "0", "--admin-port", "0", "--certs", str(self.folder / "certs")],
        ):
            # With a password, the link waits while it logs in.
            for login in "", ":secret@":
                def ending():
                    with Deaf() as engine:
                        url = engine.url.replace("redis://", f"redis://{login}")
                        process = subprocess.Popen(
                            [*command, "--fleet", url], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                        self.assertTrue(engine.asked.wait(PATIENCE))
                        start = time.monotonic()
                        process.terminate()
                        _, told = process.communicate(timeout=PATIENCE)
                        self.assertEqual(process.returncode, 0, told)
                        self.assertIn("stopped before it was ready", told)
                        return time.monotonic() - start

                with self.subTest(command=command[1], login=login):
                    # Sooner than the engine is given up.
                    self.assertLess(shortest(1.5, (ending() for _ in range(3))), 1.5)

    def test_pushes_awaiting_the_order_end_with_their_replica(self):
        scenario = self.ordered(rules=[{"times": 2, "then": {"reject": "TooManyRequests"}}])
        with Engine() as engine, Way(engine) as way, self.replica(way, "a", "--scenario", scenario) as replica:
            way.blocked.set()

            def push():
                # It may be answered, or its connection closed.
                with contextlib.suppress(OSError, http.client.HTTPException):
                    self.status(replica, "/api/v1/pushes", "POST", {"device": "alice"})

            pushing = threading.Thread(target=push, daemon=True)
            pushing.start()
            way.until_asked(b"push")
            self.seconds(replica)
            replica.exit_code = 0
            pushing.join(PATIENCE)
            self.assertFalse(pushing.is_alive(), "the push hangs")
