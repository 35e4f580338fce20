"""What the server puts on the wire, frame by frame."""

import json
import re
import signal
import ssl
import struct
import threading
import time
import unittest
import warnings

import wire
from server import PATIENCE, Server, device, shortest, until
from wire import ACK, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PING, RST_STREAM, SETTINGS

PATH = "/3/device/" + device(7)
BODY = b'{"aps":{"alert":"Hello"}}'


def settings_payload(streams):
    """The five entries as Apple sends them."""
    return b"".join(
        struct.pack(">HI", *entry) for entry in ((1, 4096), (3, streams), (4, 65535), (5, 16384), (6, 8000))
    )


class Wire(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Server())
        cls.token = cls.server.token()

    def connect(self, context=None, **options):
        connection = wire.Connection(self.server, context, **options)
        self.addCleanup(connection.close)
        return connection

    def good(self, connection, **changes):
        stream = connection.request(wire.push(self.token, PATH, **changes), BODY)
        headers, body, frames = connection.answer(stream)
        self.assertEqual(dict(headers)[":status"], "200", body)
        return headers, body, frames

    # TLS

    def test_versions_and_protocols(self):
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            for alpn, chosen in ((["h2"], "h2"), (["h2", "http/1.1"], "h2"), (["http/1.1", "h2"], "h2"), (None, None),
                                 (["http/1.1"], None)):
                with self.subTest(version=version, alpn=alpn):
                    context = self.server.tls(alpn, minimum_version=version, maximum_version=version)
                    connection = self.connect(context)
                    self.assertEqual(connection.socket.selected_alpn_protocol(), chosen)
                    self.assertEqual(connection.socket.version(), version.name.replace("v1_", "v1."))
                    self.good(connection)

    def test_older_versions_are_refused(self):
        context = self.server.tls()
        with warnings.catch_warnings(action="ignore"):
            context.minimum_version = ssl.TLSVersion.TLSv1
            context.maximum_version = ssl.TLSVersion.TLSv1_1
        context.set_ciphers("ALL:@SECLEVEL=0")
        with self.assertRaises((ssl.SSLError, ConnectionError)):
            self.connect(context)

    def test_a_client_certificate_is_asked_for(self):
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            with self.subTest(version=version):
                seen = []
                context = self.server.tls(minimum_version=version, maximum_version=version)
                context._msg_callback = lambda *message: seen.append((int(message[3]), int(message[4])))
                self.good(self.connect(context))
                self.assertIn((22, 13), seen)  # a handshake message, CertificateRequest

    def test_names_in_the_certificate(self):
        for name in ("localhost", "127.0.0.1", "::1", "api.push.apple.com", "api.sandbox.push.apple.com", "mock-apns"):
            with self.subTest(name):
                raw = wire.socket.create_connection(("127.0.0.1", self.server.port), PATIENCE)
                self.server.tls().wrap_socket(raw, server_hostname=name).close()

    # SETTINGS and the limit of streams

    def test_the_server_speaks_first(self):
        connection = self.connect(start=False)
        self.assertEqual(connection.expect(SETTINGS, 0, 0).payload, settings_payload(1))

    def test_the_stream_limit_rises_before_the_first_success(self):
        connection = self.connect()
        stream = connection.request(wire.push("nonsense", PATH), BODY)
        self.assertEqual(connection.answer(stream)[1], b'{"reason":"InvalidProviderToken"}')
        stream = connection.request(wire.push(self.token, PATH), BODY)
        frames = [got for got in connection.until(HEADERS, stream) if got.type in (SETTINGS, HEADERS)]
        self.assertEqual([got.type for got in frames], [SETTINGS, HEADERS])
        self.assertEqual((frames[0].flags, frames[0].payload), (0, settings_payload(1000)))
        stream = connection.request(wire.push(self.token, PATH), BODY)
        later = connection.until(HEADERS, stream)
        self.assertNotIn(SETTINGS, [got.type for got in later], "raised once only")

    def test_a_second_stream_before_a_token_is_refused(self):
        for bare in (True, False):
            with self.subTest(end_stream_on_headers=bare):
                connection = self.connect()
                first = connection.request(wire.push(self.token, PATH), b"", end=False)
                second = connection.next_stream()
                flags = END_HEADERS | (END_STREAM if bare else 0)
                connection.send(wire.frame(HEADERS, flags, second, wire.block(wire.push(self.token, PATH))))
                refused = connection.until(RST_STREAM)[-1]
                self.assertEqual((refused.stream, refused.payload), (second, struct.pack(">I", 7)))
                if not bare:
                    connection.send(wire.frame(DATA, END_STREAM, second, BODY))
                connection.send(wire.frame(DATA, END_STREAM, first, BODY))
                headers, body, _ = connection.answer(first)
                self.assertEqual(dict(headers)[":status"], "200", body)
                self.good(connection)

    def test_the_thousand_and_first_stream_is_refused(self):
        connection = self.connect()
        self.good(connection)
        block = wire.block(wire.push(self.token, PATH))
        streams = [connection.next_stream() for _ in range(1001)]
        for stream in streams:
            connection.send(wire.frame(HEADERS, END_HEADERS, stream, block))
        refused = connection.until(RST_STREAM)[-1]
        self.assertEqual((refused.stream, refused.payload), (streams[-1], struct.pack(">I", 7)))
        connection.send(b"".join(wire.frame(DATA, END_STREAM, stream, b"{}") for stream in streams[:1000]))
        answered = set()
        while len(answered) < 1000:
            got = connection.receive()
            if got.type == HEADERS:
                self.assertEqual(dict(connection.fields(got))[":status"], "200")
                answered.add(got.stream)
        self.assertEqual(answered, set(streams[:1000]))

    # Answers

    def test_the_shape_of_a_good_answer(self):
        headers, body, frames = self.good(self.connect())
        self.assertEqual([name for name, _ in headers], [":status", "apns-id", "apns-unique-id"])
        self.assertEqual([(got.type, got.flags) for got in frames], [(HEADERS, END_HEADERS | END_STREAM)])
        self.assertEqual(body, b"")
        self.assertRegex(dict(headers)["apns-id"], r"^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$")
        self.assertRegex(dict(headers)["apns-unique-id"], r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")

    def test_production_sends_no_unique_id(self):
        with Server("--environment", "production") as server, wire.Connection(server) as connection:
            stream = connection.request(wire.push(server.token(), PATH), BODY)
            self.assertEqual([name for name, _ in connection.answer(stream)[0]], [":status", "apns-id"])

    def test_the_shape_of_an_error(self):
        cases = [
            ({":method": "GET"}, "405", b'{"reason":"MethodNotAllowed"}'),
            ({":path": "/"}, "404", b'{"reason":"BadPath"}'),
            ({"authorization": None}, "403", b'{"reason":"MissingProviderToken"}'),
            ({"apns-priority": "11"}, "400", b'{"reason":"BadPriority"}'),
            ({"apns-priority": " 5"}, "400", b'{"reason":"BadPriority"}'),
            ({"apns-expiration": "9" * 19}, "400", b'{"reason":"BadExpirationDate"}'),
        ]
        connection = self.connect()
        for changes, status, expected in cases:
            with self.subTest(changes):
                fields = dict(wire.push(self.token, PATH), **changes)
                fields = [(name, value) for name, value in fields.items() if value is not None]
                headers, body, frames = connection.answer(connection.request(fields, BODY))
                self.assertEqual([name for name, _ in headers], [":status", "apns-id"])
                self.assertEqual((dict(headers)[":status"], body), (status, expected))
                self.assertEqual(
                    [(got.type, got.flags) for got in frames], [(HEADERS, END_HEADERS), (DATA, END_STREAM)]
                )

    def test_no_signature_is_recorded_under_any_name(self):
        signature = self.token.rsplit(".", 1)[1]
        changes = [
            ({}, [(name, f"bearer {self.token}")])
            for name in ("proxy-authorization", "cookie", "x-authorization", "authorization ", "apns-collapse-id", "x")
        ]
        changes += [({"apns-topic": self.token}, []), ({":path": "/3/device/" + self.token}, []),
                    ({":path": "/" + self.token}, []), ({"authorization": None}, [("cookie", f"t={self.token}; u=1")])]
        with Server("--log", "LOG") as server:
            for change, more in changes:
                fields = dict(wire.push(self.token, PATH), **change)
                fields = [(name, value) for name, value in fields.items() if value is not None] + more
                with self.subTest(change, more=more), wire.Connection(server) as connection:
                    connection.answer(connection.request(fields, BODY))
            # HTTP/1.x, of which the path is told.
            with wire.Connection(server, start=False) as connection:
                connection.send(f"GET /{self.token} HTTP/1.1\r\n\r\n".encode())
                connection.until_closed()
            told = [json.dumps(server.records()), json.dumps(server.get("/api/v1/connections")), server.log.read_text(),
                    json.dumps(server.get("/api/v1/summary")), json.dumps(server.get("/api/v1/devices")), server.stderr()]
            self.assertEqual(len(server.records()), len(changes))
            self.assertIn(self.token.rsplit(".", 1)[0] + ".", told[0])
        for text in told:
            self.assertNotIn(signature, text)

    def test_the_id_comes_back_byte_for_byte(self):
        connection = self.connect()
        for sent in ("eabeae54-14a8-11e5-b60b-1697f925ec7b", "EABEAE54-14A8-11E5-B60B-1697F925EC7B",
                     "EaBeAe54-14a8-11e5-b60b-1697f925ec7b"):
            headers, _, _ = self.good(connection, apns_id=sent)
            self.assertEqual(dict(headers)["apns-id"], sent)
            stream = connection.request(wire.push(self.token, PATH, apns_id=sent, apns_priority="0"), BODY)
            self.assertEqual(dict(connection.answer(stream)[0])["apns-id"], sent)

    def test_errors_wait_for_the_window_as_one_frame(self):
        connection = self.connect(initial_window_size=0)
        stream = connection.request(wire.push(self.token, PATH, apns_priority="0"), BODY)
        connection.until(HEADERS, stream)
        with self.assertRaises(TimeoutError):
            connection.until(DATA, stream, timeout=0.5)
        connection.send(wire.frame(wire.WINDOW_UPDATE, 0, stream, struct.pack(">I", 1000)))
        data = connection.until(DATA, stream)[-1]
        self.assertEqual((data.flags, data.payload), (END_STREAM, b'{"reason":"BadPriority"}'))

    def test_a_header_list_over_8000_is_431(self):
        connection = self.connect()
        self.good(connection)
        for extra in (8000, 12000):
            fields = wire.push(self.token, PATH) + [("x-filler", "f" * extra)]
            headers, body, frames = connection.answer(connection.request(fields, BODY))
            self.assertEqual(dict(headers)[":status"], "431")
            self.assertEqual(frames[0].flags & END_STREAM, END_STREAM)
        self.good(connection)

    def test_the_exact_limit_of_the_header_list(self):
        connection = self.connect()
        self.good(connection)
        fields = wire.push(self.token, PATH)
        size = sum(len(name) + len(value) + 32 for name, value in fields)
        room = 8000 - size - 32 - len("x-filler")
        for extra, status in ((room, "200"), (room + 1, "431")):
            headers, _, _ = connection.answer(connection.request(fields + [("x-filler", "f" * extra)], BODY))
            self.assertEqual(dict(headers)[":status"], status)

    # The connection

    def test_ping_is_answered(self):
        connection = self.connect()
        connection.send(wire.frame(PING, 0, 0, b"mockapns"))
        got = connection.until(PING)[-1]
        self.assertEqual((got.flags, got.payload), (ACK, b"mockapns"))

    def test_a_goaway_by_the_client_leaves_it_time(self):
        # h2spec wants PING answered after GOAWAY with any code, or the end of the connection.
        for code in (0, 0xFF):
            with self.subTest(code):
                connection = self.connect()
                self.good(connection)
                connection.send(wire.frame(GOAWAY, 0, 0, struct.pack(">II", 0, code) + b"bye"))
                connection.send(wire.frame(PING, 0, 0, b"mockapns"))
                try:
                    self.assertEqual(connection.until(PING)[-1].payload, b"mockapns")
                except wire.Closed:
                    pass

    def test_priority_and_unknown_frames_are_ignored(self):
        connection = self.connect()
        connection.send(wire.frame(wire.PRIORITY, 0, 5, struct.pack(">IB", 3, 200)))
        connection.send(wire.frame(0xBE, 0xFF, 0, b"something new"))
        connection.send(wire.frame(0xBE, 0xFF, 9, b"something new"))
        connection.last_stream = 9
        self.good(connection)

    def test_streams_below_opened_ones_end_the_connection(self):
        """RFC 9113, section 5.1.1; the case of h2spec that nghttp2 alone lets pass."""
        connection = self.connect(self.server.tls(["h2"]))
        port = connection.socket.getsockname()[1]
        connection.last_stream = 3
        self.good(connection)
        late = wire.frame(HEADERS, END_HEADERS | END_STREAM, 3, wire.block(wire.push(self.token, PATH)))
        connection.send(late + wire.frame(PING, 0, 0, b"mockapns"))
        with self.assertRaises(wire.Closed):
            # A server that takes the stream answers it or PING.
            while (got := connection.receive()).type not in (HEADERS, PING):
                farewell = got
        said = "Request stream 3 is behind the next expected stream 7"
        self.assertEqual((farewell.type, farewell.payload[4:]), (GOAWAY, struct.pack(">I", 1) + said.encode()))
        mine = []

        def ended():
            listed = self.server.get("/api/v1/connections")["connections"]
            mine[:] = [entry for entry in listed if re.search(rf":{port}$", str(entry["remoteAddress"]))]
            return mine and mine[0]["closedAt"]

        until(ended, lambda: mine)
        rule = "HEADERS on stream 3, which is below stream 5, opened before (RFC 9113, section 5.1.1)"
        self.assertEqual((mine[0]["requests"], mine[0]["explanation"]), (1, f"The client broke HTTP/2: {rule}."))

    def test_http_1_gets_settings_and_a_farewell(self):
        cases = [("GET /3/device/ HTTP/1.1", "GET /3/device/ "), ("POST /3/device/00fc HTTP/1.1", "POST /3/device/00fc ")]
        for line, seen in cases:
            with self.subTest(line):
                context = self.server.tls(["http/1.1"])
                connection = self.connect(context, start=False)
                connection.send(f"{line}\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n".encode())
                frames = connection.until_closed()
                self.assertEqual([got.type for got in frames], [SETTINGS, GOAWAY])
                self.assertEqual(frames[0].payload, settings_payload(1))
                last, code = struct.unpack(">II", frames[1].payload[:8])
                self.assertEqual(code, 1)
                self.assertEqual(frames[1].payload[8:].decode(), "Unexpected HTTP/1.x request: " + seen)

    def test_a_reset_by_the_client_is_recorded(self):
        connection = self.connect()
        stream = connection.request(wire.push(self.token, "/3/device/" + device(4711)), b"{", end=False)
        connection.send(wire.frame(RST_STREAM, 0, stream, struct.pack(">I", 8)))
        self.good(connection)
        cancelled = self.server.get("/api/v1/requests?outcome=cancelled")["requests"]
        self.assertIn(device(4711), [record["token"] for record in cancelled])

    def test_a_connection_is_listed(self):
        connection = self.connect(self.server.tls(["h2"]))
        self.good(connection)
        port = connection.socket.getsockname()[1]
        listed = self.server.get("/api/v1/connections")["connections"]
        mine = [entry for entry in listed if re.search(rf":{port}$", str(entry["remoteAddress"]))]
        self.assertEqual(len(mine), 1, listed[-3:])
        self.assertEqual((mine[0]["alpn"], mine[0]["requests"], mine[0]["closedAt"]), ("h2", 1, None))
        self.assertEqual(mine[0]["teamID"], self.server.ready["teamID"])


class Shutdown(unittest.TestCase):
    def test_goaway_says_shutdown(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number), Server() as server, wire.Connection(server) as connection:
                stream = connection.request(wire.push(server.token(), PATH), BODY)
                connection.answer(stream)
                server.process.send_signal(number)
                frames = connection.until_closed()
                self.assertEqual([got.type for got in frames], [GOAWAY])
                last, code = struct.unpack(">II", frames[0].payload[:8])
                self.assertEqual((code, frames[0].payload[8:]), (0, b'{"reason":"Shutdown"}'))
                self.assertGreaterEqual(last, stream)
                self.assertEqual(server.wait(PATIENCE), 0)

    def test_open_streams_are_answered_first(self):
        with Server("--log", "LOG") as server, wire.Connection(server) as connection:
            token = server.token()
            connection.answer(connection.request(wire.push(token, PATH), BODY))
            stream = connection.request(wire.push(token, PATH), BODY[:5], end=False)
            self.until_read(connection)
            server.process.send_signal(signal.SIGTERM)
            goaway = connection.until(GOAWAY)[-1]
            self.assertGreaterEqual(struct.unpack(">I", goaway.payload[:4])[0], stream)
            self.until_read(connection)
            connection.send(wire.frame(DATA, END_STREAM, stream, BODY[5:]))
            self.assertEqual(dict(connection.answer(stream)[0])[":status"], "200")
            connection.until_closed()
            self.assertEqual(server.wait(PATIENCE), 0)
            self.assertEqual([line["status"] for line in server.log_lines()], [200, 200])

    def test_shutdown_waits_five_seconds_for_endless_streams(self):
        seconds = shortest(9, (self.end_with_an_open_stream() for _ in range(3)))
        self.assertTrue(3.5 < seconds < 9, seconds)

    def until_read(self, connection):
        """Waits until the server has read all that was sent."""
        connection.send(wire.frame(PING, 0, 0, b"mockapns"))
        connection.until(PING)

    def end_with_an_open_stream(self):
        """How long the end of a server takes."""
        with Server() as server, wire.Connection(server) as connection:
            token = server.token()
            connection.answer(connection.request(wire.push(token, PATH), BODY))
            connection.request(wire.push(token, PATH), BODY[:5], end=False)
            self.until_read(connection)
            began = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(PATIENCE), 0)
            return time.monotonic() - began

    def test_clients_connecting_during_shutdown_do_not_delay_it(self):
        with Server() as server:
            stop, knocked = threading.Event(), threading.Event()

            def knock():
                while not stop.is_set():
                    try:
                        wire.Connection(server, start=False, timeout=1).close()
                        knocked.set()
                    except OSError:
                        time.sleep(0.01)

            knocker = threading.Thread(target=knock)
            knocker.start()
            try:
                self.assertTrue(knocked.wait(PATIENCE))
                server.process.send_signal(signal.SIGTERM)
                self.assertEqual(server.wait(PATIENCE), 0)
            finally:
                stop.set()
                knocker.join()


if __name__ == "__main__":
    unittest.main()
