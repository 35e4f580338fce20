"""Trust, GOAWAY and the ends of connections, seen from outside: with `ssl`, `h2`, and frames by hand."""

import json
import os
import pathlib
import socket
import ssl
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

import h2.config
import h2.connection
import h2.errors
import h2.events
import wire
from server import EXECUTABLE, PATIENCE, Server, device, until
from wire import ACK, DATA, END_STREAM, GOAWAY, HEADERS, PING, RST_STREAM, SETTINGS

PATH = "/3/device/" + device(11)
BODY = b'{"aps":{"alert":"Hello"}}'


def goaway(frame):
    """(last stream, error code, debug data) of a GOAWAY frame."""
    assert frame.type == GOAWAY, frame
    number = lambda part: int.from_bytes(part, "big")
    return number(frame.payload[:4]), number(frame.payload[4:8]), frame.payload[8:]


def post(server, path, value):
    """Status and JSON of one call of the admin API."""
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    request = urllib.request.Request(f"{server.admin}/api/v1/connections/{path}", body, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


class Ended(unittest.TestCase):
    """What each end of a connection looks like to `ssl` and to the socket below it."""

    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Server())
        cls.token = cls.server.token()

    def connect(self, *arguments, **options):
        connection = wire.Connection(self.server, *arguments, **options)
        self.addCleanup(connection.close)
        return connection

    def number(self):
        """The number of the newest connection."""
        return self.server.get("/api/v1/connections")["connections"][-1]["id"]

    def good(self, connection):
        headers, body, _ = connection.answer(connection.request(wire.push(self.token, PATH), BODY))
        self.assertEqual(dict(headers)[":status"], "200", body)

    def closed_by(self, number):
        def record():
            shown = self.server.get("/api/v1/connections")["connections"]
            return next(each for each in shown if each["id"] == number)

        until(lambda: record()["closedAt"], lambda: "the connection is still open")
        return record()["closedBy"]

    # close

    def ended(self, ending):
        connection = self.connect()
        # OpenSSL is to tell FIN without close_notify from one with it.
        connection.socket.suppress_ragged_eofs = False
        self.good(connection)
        number = self.number()
        self.assertEqual(post(self.server, f"{number}/close", ending), (200, {"connections": [number]}))
        connection.socket.settimeout(PATIENCE)
        try:
            if ending == "reset":
                # Python's `ssl` does not tell RST from FIN, the socket below it does.
                with socket.socket(fileno=os.dup(connection.socket.fileno())) as below:
                    below.settimeout(PATIENCE)
                    while below.recv(65536):
                        pass
                    return number, "FIN"
            while connection.socket.recv(65536):
                pass
            return number, "close_notify"
        except ssl.SSLEOFError:
            return number, "FIN"
        except ConnectionResetError:
            return number, "RST"

    def test_close_end(self):
        number, seen = self.ended("end")
        self.assertEqual((seen, self.closed_by(number)), ("close_notify", "end"))

    def test_close_truncate(self):
        number, seen = self.ended("truncate")
        self.assertEqual((seen, self.closed_by(number)), ("FIN", "truncate"))

    def test_close_reset(self):
        number, seen = self.ended("reset")
        self.assertEqual((seen, self.closed_by(number)), ("RST", "reset"))

    def test_close_silent(self):
        connection = self.connect()
        self.good(connection)
        number = self.number()
        self.assertEqual(post(self.server, f"{number}/close", "silent")[0], 200)
        connection.request(wire.push(self.token, PATH), BODY)
        connection.send(wire.frame(PING, payload=b"12345678"))
        with self.assertRaises(TimeoutError):
            connection.until_closed(timeout=1)
        self.good(self.connect())
        connection.close()
        self.assertEqual(self.closed_by(number), "silent")

    # goaway

    def test_shutdown_with_the_socket_left_open(self):
        connection = self.connect()
        self.good(connection)
        number = self.number()
        post(self.server, f"{number}/goaway", {"reason": "Shutdown", "then": "stayOpen"})
        self.assertEqual(goaway(connection.expect(GOAWAY)), (1, 0, b'{"reason":"Shutdown"}'))
        # The client that goes on using it is never answered, for as long as it likes; PING is.
        for _ in range(3):
            connection.request(wire.push(self.token, PATH), BODY)
        connection.send(wire.frame(PING, payload=b"12345678"))
        self.assertEqual(connection.expect(PING, ACK).payload, b"12345678")
        with self.assertRaises(TimeoutError):
            connection.receive(0.5)
        records = [each for each in self.server.records() if each["connection"] == number]
        self.assertEqual([each["outcome"] for each in records], ["responded", "ignored", "ignored", "ignored"])

    def test_last_stream_below_what_is_open(self):
        connection = self.connect()
        self.good(connection)
        open_streams = [connection.request(wire.push(self.token, PATH), BODY, end=False) for _ in range(3)]
        connection.send(wire.frame(PING, payload=b"12345678"))
        connection.expect(PING, ACK)
        post(self.server, f"{self.number()}/goaway", {"reason": "Shutdown"})
        for stream in open_streams:
            connection.send(wire.frame(DATA, END_STREAM, stream))
        frames = connection.until_closed()
        self.assertEqual([goaway(frame) for frame in frames], [(1, 0, b'{"reason":"Shutdown"}')])

    def test_all_streams_are_answered_before_the_end(self):
        connection = self.connect()
        self.good(connection)
        streams = [connection.request(wire.push(self.token, PATH), BODY, end=False) for _ in range(3)]
        connection.send(wire.frame(PING, payload=b"12345678"))
        connection.expect(PING, ACK)
        post(self.server, f"{self.number()}/goaway", {"text": "maintenance", "lastStream": "all"})
        self.assertEqual(goaway(connection.expect(GOAWAY)), (0x7FFFFFFF, 0, b"maintenance"))
        for stream in reversed(streams):
            connection.send(wire.frame(DATA, END_STREAM, stream))
        frames = connection.until_closed()
        self.assertEqual([each.stream for each in frames if each.type == HEADERS], streams[::-1])

    def test_two_frames_the_second_without_debug_data(self):
        connection = self.connect()
        self.good(connection)
        post(self.server, f"{self.number()}/goaway", [{"reason": "Shutdown", "lastStream": "all"}, {"lastStream": "zero"}])
        frames = connection.until_closed()
        self.assertEqual([goaway(each) for each in frames], [(0x7FFFFFFF, 0, b'{"reason":"Shutdown"}'), (0, 0, b"")])

    def test_text_instead_of_json(self):
        connection = self.connect()
        self.good(connection)
        text = "Maximum active streams violated for this endpoint."
        post(self.server, f"{self.number()}/goaway", {"text": text, "errorCode": "REFUSED_STREAM", "then": "close"})
        self.assertEqual(goaway(connection.until_closed()[-1]), (1, 7, text.encode()))

    def test_frames_on_nonexistent_streams_end_the_connection(self):
        connection = self.connect()
        connection.send(wire.frame(DATA, 0, 5, b"x"))
        self.assertEqual(goaway(connection.until_closed()[-1]), (0x7FFFFFFF, 1, b"Stream 5 does not exist"))

    def test_records_name_the_rule_that_was_broken(self):
        connection = self.connect()
        connection.send(wire.frame(HEADERS, 0x4, 1, wire.block(wire.push(self.token, PATH))))
        connection.send(wire.frame(DATA, 0, 5, b"x"))
        connection.until_closed()
        broken = "The client broke HTTP/2: DATA on stream 5, which does not exist (RFC 9113, section 5.1)."
        record = self.server.records()[-1]
        self.assertEqual((record["outcome"], record["decidedBy"]), ("closed", "connection"))
        self.assertEqual(
            record["explanation"], f"Stream 1 was not complete when the connection was ended. {broken}")
        number = self.number()

        def shown():
            return next(each for each in self.server.get("/api/v1/connections")["connections"] if each["id"] == number)

        until(lambda: shown()["closedAt"], shown)
        self.assertEqual(shown()["explanation"], broken)
        self.server.until_said(broken)

    def test_h2_reads_the_goaway(self):
        """The same with a client library that knows HTTP/2 better than we do."""
        connection = self.connect(start=False)
        client = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
        client.initiate_connection()
        client.send_headers(1, wire.push(self.token, PATH))
        client.send_data(1, BODY, end_stream=True)
        events, asked = [], False
        while not any(isinstance(each, h2.events.ConnectionTerminated) for each in events):
            connection.send(client.data_to_send())
            if not asked and any(isinstance(each, h2.events.StreamEnded) for each in events):
                asked = True
                post(self.server, f"{self.number()}/goaway", {"reason": "Shutdown"})
            events += client.receive_data(connection.socket.recv(65536))
        end = events[-1]
        self.assertEqual(
            (end.last_stream_id, end.error_code, end.additional_data),
            (1, h2.errors.ErrorCodes.NO_ERROR, b'{"reason":"Shutdown"}'),
        )

    def test_wrong_input(self):
        for path, value, status, pointer in (
            ("all/goaway", {"reson": "Shutdown"}, 400, "/reson"),
            ("all/goaway", b"{", 400, ""),
            ("all/close", "fin", 400, ""),
            ("4711/close", "end", 404, ""),
            ("some/goaway", {}, 404, ""),
        ):
            with self.subTest(path=path, value=value):
                got, answer = post(self.server, path, value)
                self.assertEqual((got, answer["error"]["pointer"]), (status, pointer), answer)


class Certificates(unittest.TestCase):
    """Client certificates of every kind, against a server that was started with their folder."""

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="mock-apns-certs-"))
        cls.path = pathlib.Path(cls.folder)
        for kind in ("expired", "revoked", "wrong-environment", "unknown-authority", "not-push"):
            command = [EXECUTABLE, "certs", "--certs", cls.folder, "--kind", kind]
            subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
        cls.server = cls.enterClassContext(Server(certs=cls.folder))

    def context(self, name, version=ssl.TLSVersion.TLSv1_3):
        context = self.server.tls(minimum_version=version, maximum_version=version)
        context.load_cert_chain(self.path / f"{name}.pem", self.path / f"{name}.key")
        return context

    def test_alerts(self):
        for kind, alert in (("expired", "CERTIFICATE_EXPIRED"), ("revoked", "CERTIFICATE_REVOKED"),
                            ("unknown-authority", "UNKNOWN_CA")):
            for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
                with self.subTest(kind, version=version):
                    # Under TLS 1.3 the alert comes with the first read, when the client thinks the handshake done.
                    with self.assertRaises(ssl.SSLError) as caught:
                        connection = wire.Connection(self.server, self.context(f"client-{kind}", version), start=False)
                        self.addCleanup(connection.close)
                        connection.receive()
                    self.assertIn(alert, str(caught.exception).upper().replace(" ", "_"))

    def test_goaways(self):
        for kind, reason in (("wrong-environment", "BadCertificateEnvironment"), ("not-push", "BadCertificate")):
            with self.subTest(kind):
                connection = wire.Connection(self.server, self.context(f"client-{kind}"), start=False)
                self.addCleanup(connection.close)
                frames = connection.until_closed()
                self.assertEqual([each.type for each in frames], [SETTINGS, GOAWAY])
                self.assertEqual(goaway(frames[1]), (0, 0, json.dumps({"reason": reason}).replace(" ", "").encode()))

    def test_a_good_one(self):
        connection = wire.Connection(self.server, self.context("client"))
        self.addCleanup(connection.close)
        fields = [field for field in wire.push("nonsense", PATH)]
        headers, body, _ = connection.answer(connection.request(fields, BODY))
        self.assertEqual(dict(headers)[":status"], "200", body)
        shown = self.server.get("/api/v1/connections")["connections"][-1]["clientCertificate"]
        self.assertEqual(shown["topics"], [f"com.example.app{each}" for each in ("", ".voip", ".complication", ".voip-ptt")])
        self.assertEqual(shown["environments"], ["sandbox", "production"])

    def test_an_old_one_for_a_single_topic(self):
        """Made by openssl, as Apple made them before 2015: no list of topics, the environment in the name."""
        name = self.path / "old"
        command = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
            "-subj", "/UID=com.example.old/CN=Apple Development IOS Push Services: com.example.old/OU=DEF123GHIJ",
            "-CA", str(self.path / "ca.pem"), "-CAkey", str(self.path / "ca.key"),
            "-addext", "basicConstraints=critical,CA:FALSE", "-addext", "extendedKeyUsage=clientAuth",
            "-keyout", f"{name}.key", "-out", f"{name}.pem",
        ]
        subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
        connection = wire.Connection(self.server, self.context("old"))
        self.addCleanup(connection.close)
        path = "/3/device/" + device(12)
        # Its only topic is the default one.
        headers, body, _ = connection.answer(connection.request(wire.push("", path, authorization=None, apns_topic=None), BODY))
        self.assertEqual(dict(headers)[":status"], "200", body)
        record = self.server.records()[-1]
        self.assertEqual((record["topic"], record["authentication"]["method"]), ("com.example.old", "certificate"))
        for changes, reason in (({"apns_topic": "com.example.app"}, b"TopicDisallowed"),):
            headers, body, _ = connection.answer(
                connection.request(wire.push("", path, authorization=None, **changes), BODY))
            self.assertIn(reason, body)


class Begin(unittest.TestCase):
    """What rules do before the server answers the ClientHello."""

    def serve(self, *steps):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        rule = {"name": "slow", "when": {"on": "connect"}, "then": list(steps)}
        pathlib.Path(folder, "it.json").write_text(json.dumps({"rules": [rule]}))
        return self.enterContext(Server("--scenario", f"{folder}/it.json"))

    def begin(self, server):
        """A connection in its handshake."""
        raw = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
        self.addCleanup(raw.close)
        return server.tls().wrap_socket(raw, server_hostname="127.0.0.1", do_handshake_on_connect=False)

    def end_of(self, server, number):
        def ended():
            found = server.get("/api/v1/connections")["connections"]
            return next((each for each in found if each["id"] == number and each["closedAt"]), None)

        until(ended, lambda: "it is not recorded")
        return ended()

    def test_a_delay(self):
        server = self.serve({"pass": True, "delay": "300ms"}, {"tlsAlert": "certificate_expired", "delay": "300ms"},
                            {"pass": True, "delay": "10m"})
        began = time.monotonic()
        with wire.Connection(server) as connection:
            self.assertGreaterEqual(time.monotonic() - began, 0.3)
            headers, _, _ = connection.answer(connection.request(wire.push(server.token(), PATH), BODY))
            self.assertEqual(dict(headers)[":status"], "200")
        began = time.monotonic()
        with self.assertRaisesRegex(ssl.SSLError, "CERTIFICATE_EXPIRED|certificate expired"):
            self.begin(server).do_handshake()
        self.assertGreaterEqual(time.monotonic() - began, 0.3)
        # A client that does not wait so long.
        impatient = self.begin(server)
        impatient.settimeout(0.3)
        with self.assertRaises(TimeoutError):
            impatient.do_handshake()
        impatient.close()
        ended = self.end_of(server, 3)
        self.assertEqual(ended["explanation"], 'The client left before the TLS handshake was answered, which the rule '
                                               '"slow" held back.')

    def test_a_stall(self):
        server = self.serve({"stall": True})
        stalled = self.begin(server)
        stalled.settimeout(0.5)
        with self.assertRaises(TimeoutError):
            stalled.do_handshake()
        # Others are served meanwhile.
        with wire.Connection(server) as connection:
            headers, _, _ = connection.answer(connection.request(wire.push(server.token(), PATH), BODY))
            self.assertEqual(dict(headers)[":status"], "200")
        stalled.close()
        self.assertIn('which the rule "slow" held back', self.end_of(server, 1)["explanation"])


if __name__ == "__main__":
    unittest.main()
