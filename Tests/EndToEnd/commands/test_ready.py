"""`mock-apns ready`: whether a server is there, at once or in time."""

import socket
import subprocess
import tempfile
import time
import unittest

from server import EXECUTABLE, PATIENCE, Server


def ready(*words, **options):
    return subprocess.run([EXECUTABLE, "ready", *words], capture_output=True, text=True, timeout=PATIENCE, **options)


class Ready(unittest.TestCase):
    def unused(self):
        """A port that is listened to by none but the socket returned."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        return listener, f"http://127.0.0.1:{listener.getsockname()[1]}"

    def test_it_asks_once(self):
        with Server() as server:
            done = ready("--admin", server.admin)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        done = ready("--admin", server.admin)
        self.assertEqual((done.returncode, done.stderr), (1, f"mock-apns: no server answers at {server.admin}.\n"))

    def test_it_waits_for_a_server_that_is_starting(self):
        listener, address = self.unused()
        waiting = subprocess.Popen([EXECUTABLE, "ready", "--timeout", f"{PATIENCE}s", "--admin", address],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(waiting.wait)
        self.addCleanup(waiting.kill)
        listener.settimeout(PATIENCE)
        # It has asked what is no server, and goes on to ask.
        for _ in range(2):
            listener.accept()[0].close()
        listener.close()
        port = address.rpartition(":")[2]
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-"))
        command = [EXECUTABLE, "serve", "--quiet", "--port", "0", "--admin-port", port, "--certs", folder, "--exit-with-parent"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            output, errors = waiting.communicate(timeout=PATIENCE)
            self.assertEqual((waiting.returncode, output, errors), (0, b"", b""))
        finally:
            server.terminate()
            server.communicate(timeout=PATIENCE)

    def test_it_gives_up_when_the_time_has_passed(self):
        listener, address = self.unused()
        listener.close()
        start = time.monotonic()
        done = ready("--timeout", "600ms", "--admin", address)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, f"mock-apns: no server answers at {address}.\n")
        self.assertGreater(time.monotonic() - start, 0.4)

    def test_the_variable_names_the_server(self):
        with Server() as server:
            done = ready("--timeout", "30s", env={"MOCK_APNS_ADMIN_URL": server.admin})
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_options_in_the_variable_name_the_server(self):
        listener, address = self.unused()
        port = address.rpartition(":")[2]
        listener.close()
        for options, asked in {
            f"--admin-port {port}": address, f"--host 0.0.0.0 --admin-port={port} --log 'a b'": address,
            f"--admin-host :: --admin-port {port}": address, f"--admin-host ::1 --admin-port {port}": f"http://[::1]:{port}",
            f"--host ::1 --admin-host 127.0.0.2 --admin-port {port}": f"http://127.0.0.2:{port}",
        }.items():
            with self.subTest(options):
                done = ready(env={"MOCK_APNS_OPTIONS": options})
                self.assertEqual((done.returncode, done.stderr), (1, f"mock-apns: no server answers at {asked}.\n"))
        with Server() as server:
            port = server.admin.rpartition(":")[2]
            done = ready("--timeout", "30s", env={"MOCK_APNS_OPTIONS": f"--host 0.0.0.0 --admin-port {port}"})
            self.assertEqual(done.returncode, 0, done.stderr)
            # What is named comes first.
            done = ready("--timeout", "30s", env={"MOCK_APNS_OPTIONS": "--admin-port 1", "MOCK_APNS_ADMIN_URL": server.admin})
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
