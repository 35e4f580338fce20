"""Clients at the wrong port, or with the wrong trust: what they and standard error are told."""

import http.client
import json
import pathlib
import socket
import ssl
import subprocess
import tempfile
import unittest

from server import EXECUTABLE, PATIENCE, Server, device, until

ALICE = device(11)


class WrongPort(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(Server())

    def explanation(self, number):
        """Why a connection ended, as soon as it has."""
        found = []

        def has_ended():
            found[:] = [connection for connection in self.server.get("/api/v1/connections")["connections"]
                        if connection["id"] == number and connection["closedAt"]]
            return found

        until(has_ended, lambda: f"connection {number} did not end")
        return found[0]["explanation"]

    def curl(self, *options):
        return subprocess.run(
            ["curl", "--silent", "--cacert", self.server.authority, "--max-time", "20", *options],
            capture_output=True, text=True, timeout=30).stdout

    def leave(self, after_certificate):
        """Begins a TLS handshake, and leaves without an alert."""
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="localhost")
        with self.assertRaises(ssl.SSLWantReadError):
            tls.do_handshake()
        hello = outgoing.read()
        with socket.create_connection(("127.0.0.1", self.server.port), 10) as connection:
            connection.sendall(hello if after_certificate else hello[:40])
            if after_certificate:
                self.assertTrue(connection.recv(65536))

    def test_unfinished_handshakes_hint_at_missing_trust(self):
        self.leave(after_certificate=True)
        self.assertEqual(
            self.explanation(1),
            "The client left the TLS handshake unfinished after the server's certificate was sent; "
            "a client that does not trust ca.pem may do that.")
        self.leave(after_certificate=False)
        self.assertEqual(self.explanation(2), "The client left the TLS handshake unfinished.")

    def test_admin_calls_at_provider_ports_get_a_hint(self):
        hint = f"This looks like a call of the admin API, which is at {self.server.admin}."
        url = f"{self.server.url}/api/v1/requests"
        self.curl("--http2", url, url, "-H", "apns-topic: a")
        said = self.server.until_said(hint)
        self.assertRegex(said, r"warning: Connection 1 from 127\.0\.0\.1:\d+: This looks")
        for record in self.server.records():
            self.assertTrue(record["explanation"].endswith(" " + hint), record)
        self.assertEqual(said.count(hint), 1)
        self.curl("--http1.1", url)
        self.assertEqual(
            self.explanation(2),
            "Unexpected HTTP/1.x request: GET /api/v1/requests. "
            f"APNs takes HTTP/2 only (curl --http2, httpx http2=True, Go ForceAttemptHTTP2). {hint}")
        self.assertRegex(
            self.server.until_said("was ended"), r"Connection 2 from 127\.0\.0\.1:\d+ was ended: Unexpected")
        self.curl(url.replace("https", "http"))
        self.assertEqual(
            self.explanation(3),
            "The client spoke plain HTTP/1.1. This port takes HTTP/2 over TLS; the address must begin with https://. "
            f"The admin API is at {self.server.admin}.")

    def says(self, number, why):
        """The record of a connection and standard error name the protocol, in one line."""
        self.assertEqual(self.explanation(number), why)
        self.assertRegex(self.server.until_said(why), rf"warning: Connection {number} from 127\.0\.0\.1:\d+: The client")

    def test_other_protocols_without_tls(self):
        url = self.server.url.replace("https", "http") + f"/3/device/{ALICE}"
        here = "This port takes HTTP/2 over TLS; the address must begin with https://."
        self.curl("--http2-prior-knowledge", url)
        self.says(1, f"The client spoke plain HTTP/2. {here}")
        why = f"The client spoke plain HTTP/1.1. {here} The admin API is at {self.server.admin}."
        for number, method in enumerate(("GET", "DELETE"), 2):
            self.assertEqual(self.curl("--http1.1", "-X", method, "-w", "%{http_code}", url), f"{why}\n400")
            self.says(number, why)
        self.curl("-p", "-x", self.server.url.replace("https", "http"), "https://api.push.apple.com/")
        self.says(4, "The client sent CONNECT, in plain HTTP/1.1. "
                     "This port is no proxy; let the client connect to it directly (no_proxy).")
        # The three commands of the binary interface, with and without TLS.
        why = ("The client spoke the binary interface, which Apple closed in March 2021. "
               "APNs takes HTTP/2 only: POST /3/device/…, with a provider token or a certificate.")
        context = self.server.tls(alpn=())
        for command in range(3):
            message = bytes([command, 0, 32]) + bytes(32) + b"\0\2{}"
            for number, wrap in ((5 + 2 * command, False), (6 + 2 * command, True)):
                with socket.create_connection(("127.0.0.1", self.server.port), 10) as plain:
                    connection = context.wrap_socket(plain, server_hostname="localhost") if wrap else plain
                    with connection:
                        connection.sendall(message)
                        while connection.recv(4096):
                            pass
                self.assertEqual(self.explanation(number), why)
                self.server.until_said(f"Connection {number} from 127.0.0.1:")
        self.assertEqual(self.server.stderr().count(why), 6)

    def test_connect_within_tls(self):
        with socket.create_connection(("127.0.0.1", self.server.port), 10) as plain:
            with self.server.tls(alpn=()).wrap_socket(plain, server_hostname="localhost") as connection:
                connection.sendall(b"CONNECT api.push.apple.com:443 HTTP/1.1\r\n\r\n")
                while connection.recv(4096):
                    pass
        self.assertEqual(
            self.explanation(1),
            "Unexpected HTTP/1.x request: CONNECT api.push.apple.com:443. "
            "This port is no proxy; let the client connect to it directly (no_proxy).")

    def test_a_push_at_the_admin_port(self):
        body = json.loads(self.curl("-d", "{}", f"{self.server.admin}/3/device/{ALICE}"))
        self.assertTrue(body["error"]["message"].endswith(f"; pushes go to {self.server.ready['apns']}."), body)
        body = json.loads(self.curl(f"{self.server.admin}/nothing"))
        self.assertTrue(body["error"]["message"].endswith("; GET /api/v1/openapi.json lists all of them."), body)

    def test_other_protocols_at_the_admin_port(self):
        port = int(self.server.admin.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), 10) as connection:
            connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            answer = http.client.HTTPResponse(connection)
            answer.begin()
            message = json.loads(answer.read())["error"]["message"]
        self.assertIn("this port speaks HTTP/1.1, not HTTP/2.", message)
        for _ in range(2):
            self.curl(self.server.admin.replace("http", "https"))
        said = self.server.until_said("began with TLS")
        self.assertIn(f"that port speaks plain HTTP. Pushes go to {self.server.ready['apns']}.", said)
        self.assertEqual(said.count("began with TLS"), 1)


class WrongOptions(unittest.TestCase):
    def test_a_port_beyond_the_range(self):
        for option in ("--port", "--admin-port"):
            for value in ("99999", "http"):
                done = subprocess.run([EXECUTABLE, "serve", option, value], capture_output=True, text=True, timeout=20)
                self.assertEqual(done.returncode, 64)
                self.assertIn(value, done.stderr)
                self.assertIn(option, done.stderr)
                self.assertIn("a port is a number from 0 to 65535", done.stderr)

    def test_an_encrypted_key_says_so(self):
        with tempfile.TemporaryDirectory(prefix="mock-apns-") as folder:
            key = pathlib.Path(folder) / "AuthKey.p8"
            subprocess.run(
                ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-aes-256-cbc", "-pass",
                 "pass:secret", "-out", key], check=True, capture_output=True, timeout=PATIENCE)
            scenario = pathlib.Path(folder) / "scenario.json"
            keys = [{"keyID": "KEY1234567", "file": "AuthKey.p8"}]
            scenario.write_text(json.dumps({"authentication": {"teams": [{"teamID": "DEF123GHIJ", "keys": keys}]}}))
            for arguments in (
                ["serve", "--port", "0", "--admin-port", "0", "--trust-key", f"{key}:KEY1234567:DEF123GHIJ"],
                ["serve", "--port", "0", "--admin-port", "0", "--scenario", scenario],
                ["token", "--key", key, "--key-id", "KEY1234567", "--team-id", "DEF123GHIJ"],
            ):
                done = subprocess.run(
                    [EXECUTABLE, *arguments], capture_output=True, text=True, timeout=PATIENCE, cwd=folder)
                self.assertNotEqual(done.returncode, 0, arguments)
                self.assertIn("the key is encrypted with a password; write it without: openssl pkey", done.stderr)
