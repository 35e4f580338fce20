"""How a server ends by SIGTERM while something is under way."""

import contextlib
import http.client
import json
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
import urllib.parse

import wire
from server import EXECUTABLE, PATIENCE, Server, device, shortest

# What SIGTERM gives open streams. A busy machine may take longer, but not each time.
LIMIT = 5
ROUNDS = 20


class Caller:
    """Makes the same call of the admin API again and again, on a connection of its own, until there is no server."""

    def __init__(self, server, method, path, body=b"", answers=None):
        self.address = urllib.parse.urlsplit(server.admin)
        self.call = method, path, body
        self.answers = [] if answers is None else answers
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        method, path, body = self.call
        while True:
            connection = http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=PATIENCE)
            with contextlib.closing(connection):
                try:
                    connection.request(method, path, body)
                    answer = connection.getresponse()
                    self.answers.append((answer.status, answer.read()))
                except ConnectionRefusedError:
                    return
                except (OSError, http.client.HTTPException) as error:
                    # Closed before the answer. One that nothing came from would be a call that hangs.
                    if isinstance(error, TimeoutError):
                        self.answers.append((None, b"no answer"))
                        return


class Endings(unittest.TestCase):
    def end(self, server):
        """Sends SIGTERM; the seconds until the process has ended, which has to be with 0 and without a word of NIO."""
        start = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        code = server.wait(PATIENCE)
        seconds = time.monotonic() - start
        self.assertEqual(code, 0, server.stderr())
        self.assertNotIn("Cannot schedule tasks on an EventLoop", server.stderr())
        return seconds

    def end_during(self, *calls, each=3, options=()):
        """SIGTERM while several callers make each of these calls; the seconds, and the answers."""
        came = threading.Event()

        class Answers(list):
            def append(self, answer):
                super().append(answer)
                if len(self) >= 4 * len(calls):
                    came.set()

        answers = Answers()
        with Server(*options) as server:
            callers = [Caller(server, *call, answers=answers) for call in calls for _ in range(each)]
            self.assertTrue(came.wait(PATIENCE), "there are no answers")
            seconds = self.end(server)
            for caller in callers:
                caller.thread.join(PATIENCE)
                self.assertFalse(caller.thread.is_alive(), "a call hangs")
        return seconds, list(answers)

    def assert_ends(self, *calls, statuses, rounds=ROUNDS, options=()):
        """Ends servers in the middle of these calls; each ends in time, and answers or closes."""
        late = []
        for number in range(rounds):
            seconds, answers = self.end_during(*calls, options=options)
            self.assertLessEqual({status for status, _ in answers}, statuses, answers[-5:])
            for status, body in answers:
                if status == 503:
                    self.assertIn("stop", json.loads(body)["error"]["message"])
            if seconds > LIMIT:
                late.append(seconds)
        # Nothing is open that would be waited for. Another process may hold up a round, but hardly several.
        self.assertLess(len(late), 2, late)

    def test_while_sessions_are_opened(self):
        self.assert_ends(("POST", "/api/v1/sessions"), statuses={201, 503})

    def test_while_sessions_are_opened_and_ended(self):
        self.assert_ends(
            ("POST", "/api/v1/sessions", b'{"name": "a"}'), ("DELETE", "/api/v1/sessions/a"),
            statuses={200, 201, 404, 409, 503}, rounds=5)

    def test_while_everything_changes(self):
        scenario = json.dumps({
            "devices": [{"name": "a", "token": device(1)}],
            "timeline": [{"at": "20ms", "do": {"goAway": {}}}, {"at": "1h", "do": {"device": "a", "online": False}}]})
        push = json.dumps({"token": device(1), "payload": {"aps": {}}, "repeat": 50, "every": "1ms"})
        self.assert_ends(
            ("PUT", "/api/v1/scenario", scenario), ("POST", "/api/v1/reset"), ("POST", "/api/v1/pushes", push),
            ("POST", "/api/v1/verify", b"{}"), ("GET", "/api/v1/connections"), ("GET", "/api/v1/clock"),
            ("POST", "/api/v1/connections/all/goaway", b"{}"),
            statuses={200, 201, 202, 400, 404, 409, 503}, rounds=5)

    def test_waits_and_event_streams_end(self):
        with Server() as server:
            streams, calls = [], []
            address = urllib.parse.urlsplit(server.admin)
            for _ in range(3):
                # They are not read.
                stream = self.enterContext(socket.create_connection((address.hostname, address.port)))
                stream.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                streams.append(stream)
                wait = Caller(server, "POST", "/api/v1/requests/wait", b'{"count": 1, "timeout": "1m"}')
                calls.append(wait)
            for stream in streams:
                self.assertEqual(stream.recv(12), b"HTTP/1.1 200")
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(PATIENCE), 0)
            for call in calls:
                call.thread.join(PATIENCE)
                self.assertFalse(call.thread.is_alive(), "a wait hangs")
            self.assertNotIn("EventLoop", server.stderr())

    def test_servers_end_amid_a_reload_and_a_rotation(self):
        with tempfile.TemporaryDirectory(prefix="mock-apns-") as folder:
            scenario = pathlib.Path(folder) / "it.json"
            for number in range(5):
                scenario.write_text(json.dumps({"name": f"it {number}", "clock": {"manual": "now"}}))
                with Server("--scenario", str(scenario), "--log", "LOG") as server:
                    scenario.write_text(json.dumps({"name": "another"}))
                    for number in (signal.SIGHUP, signal.SIGUSR1, signal.SIGTERM):
                        server.process.send_signal(number)
                    self.assertEqual(server.wait(PATIENCE), 0, server.stderr())

    def test_a_session_that_expires_at_the_same_moment(self):
        for _ in range(5):
            with Server() as server:
                for number in range(20):
                    server.post("/api/v1/sessions", {"expiresAfter": f"{1000 + 10 * number}ms"})
                # The first ones expire now.
                while len(server.get("/api/v1/sessions")["sessions"]) == 20:
                    pass
                self.end(server)

    def test_session_and_server_streams_are_awaited_together(self):
        """Both are waited for at the same time."""
        scenario = {"rules": [{"then": {"stall": True}}]}

        def ending():
            with Server() as server, contextlib.ExitStack() as stack:
                server.post("/api/v1/rules", scenario["rules"][0])
                opened = server.post("/api/v1/sessions", {"scenario": scenario})
                token = server.token()
                for port in (server.port, urllib.parse.urlsplit(opened["apns"]).port):
                    at = types.SimpleNamespace(port=port, tls=server.tls)
                    connection = stack.enter_context(wire.Connection(at))
                    connection.request(wire.push(token, "/3/device/" + device(1)), b"{}")
                    connection.send(wire.frame(wire.PING, 0, 0, b"received"))
                    connection.until(wire.PING)
                return self.end(server)

        self.assertLess(shortest(LIMIT + 2, (ending() for _ in range(3))), LIMIT + 2)

    def test_exec_whose_command_ends_while_sessions_are_opened(self):
        command = """
import os, threading, urllib.request
url = os.environ["MOCK_APNS_ADMIN_URL"] + "/api/v1/sessions"
opened = threading.Semaphore(0)
def open_sessions():
    while True:
        urllib.request.urlopen(urllib.request.Request(url, b"{}", method="POST")).read()
        opened.release()
for _ in range(4):
    threading.Thread(target=open_sessions, daemon=True).start()
for _ in range(4):
    opened.acquire()
os._exit(0)
"""
        for _ in range(5):
            done = subprocess.run(
                [EXECUTABLE, "exec", "--certs", Server._certs(), "--", sys.executable, "-c", command], capture_output=True,
                text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("EventLoop", done.stderr)
