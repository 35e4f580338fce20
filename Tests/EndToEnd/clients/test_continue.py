"""`expect: 100-continue` on both ports, with clients that wait for the answer before they send the body."""

import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

import wire
from server import PATIENCE, TOPIC, Server, device

JAVA = """
import java.io.FileInputStream;
import java.net.URI;
import java.net.http.*;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import javax.net.ssl.*;

public class Expecting {
    public static void main(String[] given) throws Exception {
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (var file = new FileInputStream(given[0])) {
            store.setCertificateEntry("a", CertificateFactory.getInstance("X.509").generateCertificate(file));
        }
        var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(store);
        var context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        var client = HttpClient.newBuilder().sslContext(context).build();
        for (var index = 1; index < given.length; index += 2) {
            var request = HttpRequest.newBuilder(URI.create(given[index])).expectContinue(true)
                .timeout(Duration.ofSeconds(PATIENCE)).header("apns-topic", "TOPIC")
                .POST(HttpRequest.BodyPublishers.ofString(given[index + 1])).build();
            var answer = client.send(request, HttpResponse.BodyHandlers.ofString());
            System.out.println(answer.version() + " " + answer.statusCode());
        }
    }
}
"""


class Continue(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Server("--auth", "none", "--initial-streams", "1000"))
        cls.url = f"{cls.server.url}/3/device/{device(1)}"

    @unittest.skipIf(sys.platform != "linux" and not shutil.which("java"), "java is not installed")
    def test_java(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "Expecting.java"
            file.write_text(JAVA.replace("PATIENCE", str(PATIENCE // 2)).replace("TOPIC", TOPIC))
            done = subprocess.run(
                ["java", "-XX:TieredStopAtLevel=1", str(file), self.server.authority, self.url, '{"aps":{}}',
                 f"{self.server.admin}/api/v1/requests/find", "{}", self.url, '{"aps":{}}'],
                capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.stdout, "HTTP_2 200\nHTTP_1_1 200\nHTTP_2 200\n", done.stderr)

    def curl(self, url, *options):
        """What curl was told, and whether it gave up waiting, which it does after a second."""
        done = subprocess.run(
            ["curl", "--silent", "--verbose", "--cacert", self.server.authority, "--max-time", str(PATIENCE),
             "-H", "Expect: 100-continue", "-H", f"apns-topic: {TOPIC}", "--expect100-timeout", str(PATIENCE),
             *options, url], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line[2:].strip() for line in done.stderr.splitlines() if line.startswith("< HTTP")]

    def test_curl(self):
        self.assertEqual(self.curl(self.url, "--http2", "-d", "{}"), ["HTTP/2 100", "HTTP/2 200"])
        self.assertEqual(self.curl(f"{self.server.admin}/api/v1/requests/find", "-d", "{}"),
                         ["HTTP/1.1 100 Continue", "HTTP/1.1 200 OK"])
        # By itself for a body of a megabyte.
        scenario = '{"description": "' + "x" * (2 << 20) + '"}'
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(scenario)
            file.flush()
            self.assertEqual(self.curl(f"{self.server.admin}/api/v1/scenario", "-T", file.name),
                             ["HTTP/1.1 100 Continue", "HTTP/1.1 200 OK"])

    def test_provider_ports_read_bodies_before_judging(self):
        with wire.Connection(self.server) as connection:
            fields = wire.push(None, "/3/device/nonsense", authorization=None, expect="100-continue")
            stream = connection.next_stream()
            connection.send(wire.frame(wire.HEADERS, wire.END_HEADERS, stream, wire.block(fields)))
            first = connection.until(wire.HEADERS, stream)[-1]
            self.assertEqual(connection.fields(first), [(":status", "100")])
            connection.send(wire.frame(wire.DATA, wire.END_STREAM, stream, b"{}"))
            headers, body, _ = connection.answer(stream)
            self.assertEqual((dict(headers)[":status"], body), ("400", b'{"reason":"BadDeviceToken"}'))

    # The admin port, byte by byte

    def admin(self):
        address = urllib.parse.urlsplit(self.server.admin)
        connection = socket.create_connection((address.hostname, address.port), timeout=PATIENCE)
        self.addCleanup(connection.close)
        return connection

    @staticmethod
    def head(path="requests/find", host="localhost", version="1.1", expect="Expect: 100-continue\r\n", length=2):
        return (f"POST /api/v1/{path} HTTP/{version}\r\nHost: {host}\r\n{expect}Content-Length: {length}\r\n\r\n").encode()

    @staticmethod
    def read(connection):
        """One answer with its body; a status below 200 has none."""
        text = b""
        while not text.endswith(b"\r\n\r\n"):
            part = connection.recv(1)
            if not part:
                return text
            text += part
        lines = text.decode().lower().split("\r\n")
        for line in lines:
            if line.startswith("content-length: "):
                left = int(line.split()[1])
                while left:
                    left -= len(connection.recv(left))
        return lines[0]

    def test_the_admin_port(self):
        connection = self.admin()
        for expect in ("Expect: 100-continue\r\n", "expect: 100-Continue\r\n"):
            connection.sendall(self.head(expect=expect))
            self.assertEqual(self.read(connection), "http/1.1 100 continue")
            connection.sendall(b"{}")
            self.assertEqual(self.read(connection), "http/1.1 200 ok")
        connection.sendall(self.head(expect="") + b"{}")
        self.assertEqual(self.read(connection), "http/1.1 200 ok")

    def test_refused_callers_are_not_told_to_continue(self):
        connection = self.admin()
        connection.sendall(self.head(host="evil.example.com"))
        self.assertEqual(self.read(connection), "http/1.1 421 misdirected request")

    def test_http_1_0_does_not_know_100(self):
        connection = self.admin()
        connection.sendall(self.head(version="1.0") + b"{}")
        self.assertEqual(self.read(connection), "http/1.1 200 ok")

    def test_answers_stay_in_order(self):
        connection = self.admin()
        connection.sendall(self.head(expect="") + b"{}" + self.head())
        self.assertEqual(self.read(connection), "http/1.1 200 ok")
        self.assertEqual(self.read(connection), "http/1.1 100 continue")
        connection.sendall(b"{}" + self.head(path="nothing"))
        self.assertEqual(self.read(connection), "http/1.1 200 ok")
        # Its body is not asked for; what is sent of it all the same is not taken for a request.
        self.assertEqual(self.read(connection), "http/1.1 404 not found")
        connection.sendall(b"{}" + self.head(expect="") + b"{}")
        self.assertEqual(self.read(connection), "http/1.1 200 ok")


if __name__ == "__main__":
    unittest.main()
