"""`mock-apns serve` with a scenario: what signals do, and what is said at the end."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

import wire
from server import EXECUTABLE, PATIENCE, Server, device, shortest

ALICE = device(5)


class Serve(unittest.TestCase):
    def setUp(self):
        self.file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-"))) / "it.json"

    def write(self, scenario):
        self.file.write_text(scenario if isinstance(scenario, str) else json.dumps(scenario))

    def serve(self):
        return Server("--scenario", str(self.file))

    def status(self, server):
        with wire.Connection(server) as connection:
            headers, _, _ = connection.answer(connection.request(wire.push(server.token(), "/3/device/" + ALICE), b"{}"))
            return dict(headers)[":status"]

    def test_sighup_plays_changed_scenarios_unless_they_are_faulty(self):
        self.write({"rules": [{"then": {"reject": "TooManyRequests"}}]})
        with self.serve() as server:
            self.assertEqual(self.status(server), "429")
            self.write({"rules": [{"then": {"reject": "Shutdown"}}]})
            server.process.send_signal(signal.SIGHUP)
            server.until_said("were reloaded")
            self.assertEqual(self.status(server), "503")
            self.write('{"rules": [{"then": {"rejct": "Shutdown"}}]}')
            server.process.send_signal(signal.SIGHUP)
            server.until_said('it.json:1:22: rules[0].then.rejct')
            self.assertEqual(self.status(server), "503")

    def test_the_configuration_of_openssl_is_not_read(self):
        self.file.write_text("openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n[c]\nMinProtocol = TLSv1.3\n")
        os.environ["OPENSSL_CONF"] = str(self.file)
        self.addCleanup(os.environ.pop, "OPENSSL_CONF")
        with Server() as server:
            context = server.tls()
            context.maximum_version = ssl.TLSVersion.TLSv1_2
            with wire.Connection(server, context=context) as connection:
                self.assertEqual(connection.socket.version(), "TLSv1.2")

    def test_the_end_tells_what_was_expected(self):
        self.write({"name": "it", "expect": [{"name": "one push", "requests": {"status": 200}, "count": 1}]})
        with self.serve() as server:
            server.until_said("scenario   it: 1 expectation")
            server.process.send_signal(signal.SIGTERM)
            server.wait(PATIENCE)
            self.assertIn("FAILED  one push", server.stderr())
        with self.serve() as server:
            self.status(server)
            server.process.send_signal(signal.SIGTERM)
            server.wait(PATIENCE)
            self.assertIn("The expectation holds.", server.stderr())

    def test_second_signals_do_not_wait_for_open_streams(self):
        self.write({"rules": [{"then": {"stall": True}}]})
        self.assertLess(shortest(4, (self.end_by_two_signals() for _ in range(3))), 4)

    def end_by_two_signals(self):
        """How long the end takes while a stream is open."""
        server = self.serve()
        server.__enter__()
        with wire.Connection(server) as connection:
            connection.request(wire.push(server.token(), "/3/device/" + ALICE), b"{}")
            connection.until(wire.SETTINGS)
            begun = time.monotonic()
            server.process.send_signal(signal.SIGINT)
            connection.until(wire.GOAWAY)
            server.process.send_signal(signal.SIGINT)
            self.assertEqual(server.process.wait(PATIENCE), 130)
            seconds = time.monotonic() - begun
        server.process.stdout.close()
        server.folder.cleanup()
        return seconds

    def test_an_empty_address_is_none(self):
        # Whatever listens at the default address: to ask there is no wrong usage.
        done = subprocess.run([EXECUTABLE, "ready"], env={**os.environ, "MOCK_APNS_ADMIN_URL": ""}, capture_output=True,
                              text=True, timeout=PATIENCE)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        with Server() as server:
            done = subprocess.run([EXECUTABLE, "ready"], env={**os.environ, "MOCK_APNS_ADMIN_URL": server.admin},
                                  timeout=PATIENCE)
            self.assertEqual(done.returncode, 0)

    def test_servers_that_close_right_after_answering_are_ready(self):
        """The answer may come, and the connection end, before a client has got to the end of its request."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            def answer():
                while True:
                    try:
                        connection, _ = listener.accept()
                    except OSError:
                        return
                    # On a busy machine a command may have given up and ask again.
                    with connection, contextlib.suppress(ConnectionError):
                        request = b""
                        while b"\r\n\r\n" not in request and (more := connection.recv(4096)):
                            request += more
                        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")

            server = threading.Thread(target=answer)
            server.start()
            address = "http://127.0.0.1:%d" % listener.getsockname()[1]
            for _ in range(5):
                # More at a time would give up on a busy machine.
                commands = [subprocess.Popen([EXECUTABLE, "ready", "--admin", address]) for _ in range(8)]
                self.assertEqual({command.wait(PATIENCE) for command in commands}, {0})
            listener.shutdown(socket.SHUT_RDWR)
            server.join(PATIENCE)


if __name__ == "__main__":
    unittest.main()
