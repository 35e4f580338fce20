"""Upstreams of a relay that attack it: the provider gets an answer, the relay lives, and its memory stays."""

import contextlib
import pathlib
import queue
import socket
import ssl
import tempfile
import threading
import unittest

import h2.connection
import hpack
from hyperframe.frame import (
    ContinuationFrame, DataFrame, Frame, GoAwayFrame, HeadersFrame, PingFrame, PushPromiseFrame, RstStreamFrame, SettingsFrame, WindowUpdateFrame,
)

from server import PATIENCE, TOPIC, Server, device
from test_relay import Provider, Relay

# What a connection begins with on the side of a server that allows many streams.
HELLO = SettingsFrame(0, settings={SettingsFrame.MAX_CONCURRENT_STREAMS: 100}).serialize()
OK = hpack.Encoder().encode([(":status", "200")])


def frames(stream, fields, *, end=True, parts=1):
    """A header block in several frames."""
    size = -(-len(fields) // parts)
    pieces = [fields[start:start + size] for start in range(0, len(fields), size)]
    for number, piece in enumerate(pieces):
        frame = HeadersFrame(stream, piece) if number == 0 else ContinuationFrame(stream, piece)
        if end and number == 0:
            frame.flags.add("END_STREAM")
        if number == len(pieces) - 1:
            frame.flags.add("END_HEADERS")
        yield frame.serialize()


def unfinished(kind, stream, data):
    frame = kind(stream, data)
    return frame.serialize()


class Upstream:
    """A server that answers the first request as a function of the stream says, which yields bytes; then it reads on, for as long
    as the other side stays. It accepts any number of connections."""

    def __init__(self, certs, attack, version=ssl.TLSVersion.TLSv1_3, curve=None, hello=HELLO):
        self.attack, self.hello = attack, hello
        # What each RST_STREAM said.
        self.resets = queue.Queue()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certs / "server.pem", certs / "server.key")
        self.context.set_alpn_protocols(["h2"])
        self.context.maximum_version = version
        if curve:
            self.context.set_ecdh_curve(curve)

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"https://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        client.settimeout(PATIENCE)
        with contextlib.suppress(OSError), self.context.wrap_socket(client, server_side=True) as connection:
            connection.sendall(self.hello)
            buffer = b""
            while len(buffer) < 24:
                buffer += connection.recv(65536)
            buffer = buffer[24:]
            while True:
                while len(buffer) < 9 or len(buffer) < 9 + int.from_bytes(buffer[:3]):
                    received = connection.recv(65536)
                    if not received:
                        return
                    buffer += received
                frame, length = Frame.parse_frame_header(memoryview(buffer[:9]))
                if isinstance(frame, RstStreamFrame):
                    self.resets.put((frame.stream_id, int.from_bytes(buffer[9:13])))
                buffer = buffer[9 + length:]
                if isinstance(frame, SettingsFrame) and "ACK" not in frame.flags:
                    connection.sendall(SettingsFrame(0, flags=["ACK"]).serialize())
                if "END_STREAM" in frame.flags:
                    for piece in self.attack(frame.stream_id):
                        connection.sendall(piece)


def endless_fields(stream):
    """One header block without an end: a field that is in the table, over and over, and new ones."""
    yield unfinished(HeadersFrame, stream, OK)
    encoder = hpack.Encoder()
    for number in range(100_000):
        yield unfinished(ContinuationFrame, stream, encoder.encode([(f"x-{number}", "y" * 100)]) * 20)


def bomb(stream):
    """A small block that names a large field of the table thousands of times."""
    encoder = hpack.Encoder()
    block = encoder.encode([(":status", "200"), ("x-large", "y" * 4000)])
    block += encoder.encode([("x-large", "y" * 4000)]) * 8000
    yield from frames(stream, block)


def endless_body(stream):
    yield from frames(stream, OK, end=False)
    for _ in range(100_000):
        yield unfinished(DataFrame, stream, b"y" * 1000)


def endless_informational(stream):
    informational = hpack.Encoder().encode([(":status", "103"), ("link", "y" * 1000)])
    for _ in range(100_000):
        yield from frames(stream, informational, end=False)


def pings(stream):
    for _ in range(100_000):
        yield PingFrame(0, b"12345678").serialize() * 100


def settings(stream):
    for _ in range(100_000):
        yield SettingsFrame(0, settings={SettingsFrame.INITIAL_WINDOW_SIZE: 65_535}).serialize() * 100


def promises(stream):
    frame = PushPromiseFrame(stream, promised_stream_id=2, data=hpack.Encoder().encode(
        [(":method", "GET"), (":scheme", "https"), (":authority", "x"), (":path", "/")]))
    frame.flags.add("END_HEADERS")
    yield frame.serialize()


# Each with what the provider's push ends as: a status; or None, where a part of an answer may have come.
ATTACKS = {
    "fields without an end": endless_fields,
    "a compression bomb": bomb,
    "a body without an end": endless_body,
    "informational answers without an end": endless_informational,
    "pings without an end": pings,
    "settings without an end": settings,
    "a push promise": promises,
    "data on no stream": lambda stream: [unfinished(DataFrame, 99, b"x")],
    "data before fields": lambda stream: [unfinished(DataFrame, stream, b"x")],
    "fields on stream 0": lambda stream: [b"\0\0\1\1\4\0\0\0\0\x88"],
    "a frame that is too long": lambda stream: [b"\xff\xff\xff\0\0\0\0\0\1" + b"x" * 70_000],
    "a window beyond the largest": lambda stream: [WindowUpdateFrame(0, window_increment=0x7FFFFFFF).serialize() * 2],
    "a window update of nothing": lambda stream: [b"\0\0\4\x08\0\0\0\0\0\0\0\0\0"],
    "a wrong index": lambda stream: [*frames(stream, b"\xff\xff\xff\x7f")],
    "a field with a line feed": lambda stream: [*frames(stream, hpack.Encoder().encode([(":status", "200"), ("x", "a\nb")]))],
    "no status": lambda stream: [*frames(stream, hpack.Encoder().encode([("x", "y")]))],
    "two statuses": lambda stream: [*frames(stream, hpack.Encoder().encode([(":status", "200"), (":status", "400")]))],
    "a status that is none": lambda stream: [*frames(stream, hpack.Encoder().encode([(":status", "2x0")]))],
    "fields that go on elsewhere": lambda stream: [unfinished(HeadersFrame, stream, OK), unfinished(ContinuationFrame, stream + 2, OK)],
    "GOAWAY backwards": lambda stream: [GoAwayFrame(0, last_stream_id=0).serialize(), GoAwayFrame(0, last_stream_id=99).serialize()],
    "a reset of what was not opened": lambda stream: [RstStreamFrame(99, error_code=1).serialize()],
}


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Makes the folder, with the certificate that the upstreams show.
        with Server() as server:
            cls.certs = server.certs

    def relay(self, upstream):
        relay = Relay(upstream.url, "--log", str(self.log))
        relay.command += ["--upstream-ca", str(self.certs / "ca.pem")]
        return relay

    def setUp(self):
        self.log = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "log.jsonl"

    def test_attacks(self):
        for name, attack in ATTACKS.items():
            with self.subTest(name), Upstream(self.certs, attack) as upstream, self.relay(upstream) as relay:
                before = relay.resident()
                with Provider(relay) as provider:
                    # Not every attack ends the push.
                    provider.client.timeout = 3
                    with contextlib.suppress(Exception):
                        answer = provider.push()
                        self.assertIn(answer.status_code, (200, 503), answer.content[:100])
                total = relay.post("/api/v1/requests/wait", {"requests": {}, "timeout": "60s"})["total"]
                self.assertEqual(total, 1)
                record, = relay.get("/api/v1/requests")["requests"]
                self.assertTrue(record["status"] == 503 and record["explanation"] or record["outcome"] in ("reset", "cancelled"), record)
                # It serves the next one.
                with Provider(relay) as provider, contextlib.suppress(Exception):
                    provider.client.timeout = 3
                    provider.push()
                total = relay.post("/api/v1/requests/wait", {"requests": {}, "count": 2, "timeout": "60s"})["total"]
                self.assertEqual(total, 2)
                self.assertLess(relay.resident() - before, 32 << 20)

    def test_handshakes_of_more_than_one_round(self):
        for version, curve in ((ssl.TLSVersion.TLSv1_2, None), (ssl.TLSVersion.TLSv1_3, "secp384r1"), (ssl.TLSVersion.TLSv1_3, "secp521r1")):
            with self.subTest(version=version, curve=curve):
                with Upstream(self.certs, lambda stream: frames(stream, OK), version, curve) as upstream:
                    with self.relay(upstream) as relay, Provider(relay) as provider:
                        self.assertEqual([provider.push().status_code for _ in range(2)], [200, 200])
                        said = relay.stderr()
                self.assertNotIn("upstream", said.split("answers what no rule decides")[-1])

    def test_a_handshake_that_never_comes(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            relay = Relay(f"https://127.0.0.1:{silent.getsockname()[1]}")
            with relay, Provider(relay) as provider:
                self.assertEqual(provider.push().status_code, 503)
                self.assertIn("took more than 10 s", relay.get("/api/v1/requests")["requests"][0]["explanation"])

    def test_a_reset_of_the_provider_arrives_with_its_code(self):
        asked = threading.Event()

        def silent(stream):
            asked.set()
            return []
        with Upstream(self.certs, silent) as upstream, self.relay(upstream) as relay:
            with socket.create_connection(("127.0.0.1", relay.port), PATIENCE) as plain:
                with relay.tls().wrap_socket(plain, server_hostname="localhost") as channel:
                    connection = h2.connection.H2Connection()
                    connection.initiate_connection()
                    connection.send_headers(1, [
                        (":method", "POST"), (":scheme", "https"), (":authority", "localhost"), (":path", f"/3/device/{device(1)}"),
                        ("apns-topic", TOPIC), ("authorization", f"bearer {relay.token()}")])
                    connection.send_data(1, b'{"aps":{"alert":"x"}}', end_stream=True)
                    channel.sendall(connection.data_to_send())
                    self.assertTrue(asked.wait(PATIENCE))
                    connection.reset_stream(1, error_code=11)
                    channel.sendall(connection.data_to_send())
                    self.assertEqual(upstream.resets.get(timeout=PATIENCE), (1, 11))

    def test_an_upstream_without_a_stream_limit(self):
        """The provider gets the limit of the relay's own scenario, since without one there would be none at all."""
        answer = lambda stream: frames(stream, OK)
        with Upstream(self.certs, answer, hello=SettingsFrame(0).serialize()) as upstream, self.relay(upstream) as relay:
            with Provider(relay) as provider:
                self.assertEqual([provider.push().status_code for _ in range(3)], [200, 200, 200])
                self.assertEqual(provider.stream_limit(), 1000)


if __name__ == "__main__":
    unittest.main()
