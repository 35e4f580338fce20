"""Clients that mean harm, or behave as if they did. The server lives, its memory returns, and others are served.

Everything random comes from the variable SEED, which is printed, so that a failure can be repeated.
"""

import os
import random
import select
import socket
import ssl
import struct
import time
import unittest

import wire
from server import PATIENCE, Server, device, until
from wire import ACK, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PING, RST_STREAM, SETTINGS, WINDOW_UPDATE
from witness import BODY, PATH, Witness

SEED = int(os.environ.get("SEED") or random.randrange(1 << 32))
FRAMES = int(os.environ.get("HOSTILE_FRAMES") or 100_000)
MB = 1 << 20


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        print(f"SEED={SEED}", flush=True)
        Witness.calm = cls.enterClassContext(Server("--log-limit", "1000"))

    def setUp(self):
        self.random = random.Random(f"{SEED} {self.id()}")
        # A short log, so that what grows is what connections hold.
        self.server = self.enterContext(Server("--log-limit", "1000"))
        self.token = self.server.token()
        self.warm_up()

    def warm_up(self):
        """Fills the log and the pools, so that later growth is growth."""
        with wire.Connection(self.server) as connection:
            connection.answer(connection.request(wire.push(self.token, PATH), BODY))
            for _ in range(30):
                streams = [connection.request(wire.push(self.token, PATH), BODY) for _ in range(100)]
                left = set(streams)
                while left:
                    got = connection.receive()
                    if got.flags & END_STREAM and got.type == HEADERS:
                        left.discard(got.stream)

    def settle(self, below):
        """Waits until resident memory is below that many bytes; returns what it is."""
        deadline = time.monotonic() + PATIENCE
        while self.server.resident() > below and time.monotonic() < deadline:
            time.sleep(0.1)
        return self.server.resident()

    def open_connections(self):
        return self.server.get("/api/v1/summary")["connections"]["open"]

    def until_alone(self):
        """Waits until the server has seen the ends of all connections."""
        until(lambda: self.open_connections() == 0, lambda: "connections that are gone are still listed as open")

    def still_good(self):
        with wire.Connection(self.server) as connection:
            headers, body, _ = connection.answer(connection.request(wire.push(self.token, PATH), BODY))
            self.assertEqual(dict(headers)[":status"], "200", body)

    def plain(self):
        raw = socket.create_connection(("127.0.0.1", self.server.port), PATIENCE)
        self.addCleanup(raw.close)
        return raw

    def hello(self):
        """The bytes of a ClientHello."""
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        client = self.server.tls().wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
        try:
            client.do_handshake()
        except ssl.SSLWantReadError:
            pass
        return outgoing.read()

    def test_bytes_instead_of_a_handshake(self):
        hello = self.hello()
        with Witness(self.server):
            for number in range(600):
                kind = number % 4
                if kind == 0:
                    data = self.random.randbytes(self.random.randrange(1, 3000))
                elif kind == 1:
                    data = hello[: self.random.randrange(1, len(hello))]
                elif kind == 2:
                    mutated = bytearray(hello)
                    for _ in range(self.random.randrange(1, 8)):
                        mutated[self.random.randrange(len(mutated))] = self.random.randrange(256)
                    data = bytes(mutated)
                else:
                    data = hello + self.random.randbytes(self.random.randrange(1, 500))
                raw = socket.create_connection(("127.0.0.1", self.server.port), PATIENCE)
                try:
                    raw.sendall(data)
                    if number % 3 == 0:
                        raw.shutdown(socket.SHUT_WR)
                        raw.settimeout(PATIENCE)
                        while raw.recv(4096):
                            pass
                except (ConnectionError, BrokenPipeError):
                    pass
                finally:
                    raw.close()
        self.still_good()

    def test_bytes_instead_of_http_2(self):
        with Witness(self.server):
            for number in range(400):
                connection = wire.Connection(self.server, start=False)
                try:
                    if number % 4 == 0:
                        connection.send(self.random.randbytes(self.random.randrange(1, 5000)))
                    elif number % 4 == 1:
                        connection.send(wire.PREFACE[: self.random.randrange(1, len(wire.PREFACE))])
                    elif number % 4 == 2:
                        connection.send(wire.PREFACE + wire.settings() + self.random.randbytes(500))
                    else:
                        whole = wire.PREFACE + wire.settings()
                        whole += wire.frame(HEADERS, END_HEADERS, 1, wire.block(wire.push(self.token, PATH)))
                        connection.send(whole[: self.random.randrange(1, len(whole))])
                    if number % 5 == 0:
                        connection.socket.settimeout(0.05)
                        connection.socket.recv(4096)
                except (OSError, wire.Closed):
                    pass
                finally:
                    connection.reset() if number % 2 else connection.close()
        self.still_good()

    def test_mutated_frames(self):
        """Frames after a valid preface; by design most of them reach a request or a stream error, and are answered."""
        before = self.server.resident()
        total = answered = 0
        with Witness(self.server, longest=5.0):
            while total < FRAMES:
                sent, got = self.mutated_connection(self.random.randrange(20, 80))
                total, answered = total + sent, answered + got
        self.still_good()
        print(f"{total} mutated frames, {answered} answers and stream errors", flush=True)
        self.assertGreaterEqual(answered * 2, total)
        self.assertLess(self.settle(before + 16 * MB), before + 16 * MB, "memory did not return")

    def mutated_connection(self, count):
        """Sends `count` frames on one connection, counts streams that were answered or reset."""
        connection = wire.Connection(self.server, start=False)
        data = [wire.PREFACE, wire.settings(), wire.frame(SETTINGS, ACK)]
        # A good push first, so that the stream limit is 1000.
        stream = connection.next_stream()
        data.append(wire.frame(HEADERS, END_HEADERS, stream, wire.block(wire.push(self.token, PATH))))
        data.append(wire.frame(DATA, END_STREAM, stream, BODY))
        connection.send(b"".join(data))
        try:
            connection.answer(stream)
        except (wire.Closed, TimeoutError) as error:
            connection.close()
            raise AssertionError("a good push was not answered") from error
        seen = set()
        try:
            # PING overtakes answers: what follows the first acknowledgement up to the second holds all of them.
            connection.send(b"".join(self.mutant(connection.next_stream()) for _ in range(count - 1)))
            for mark in (b"the 1st.", b"the 2nd."):
                connection.send(wire.frame(PING, 0, 0, mark))
                self.collect(connection, seen, mark, PATIENCE)
            # The last one may leave the server waiting for the rest of a frame.
            connection.send(self.poison(connection.next_stream()) + wire.frame(PING, 0, 0, b"the last"))
            self.collect(connection, seen, b"the last", 0.05)
        except (wire.Closed, TimeoutError, ConnectionError, ssl.SSLError):
            pass
        finally:
            connection.close()
        return count, len(seen)

    def collect(self, connection, seen, mark, timeout):
        """Reads up to the acknowledgement of one PING; notes the streams that were answered or reset."""
        while True:
            got = connection.receive(timeout)
            if got.stream and got.type in (HEADERS, RST_STREAM):
                seen.add(got.stream)
            if got.type == GOAWAY:
                raise wire.Closed("GOAWAY")
            if got.type == PING and got.payload == mark:
                return

    def mutant(self, stream):
        """One frame that opens a stream and is faulty within it, as a rule."""
        fields = [list(field) for field in wire.push(self.token, self.path())]
        kind = self.random.randrange(12)
        flags = END_HEADERS | END_STREAM
        if kind == 0:  # any byte of one value
            field = self.random.choice(fields)
            value = bytearray(field[1].encode())
            value[self.random.randrange(len(value))] = self.random.randrange(256)
            field[1] = bytes(value)
        elif kind == 1:  # a field twice
            fields.append(self.random.choice(fields[4:]))
        elif kind == 2:  # a pseudo-header missing or twice
            if self.random.random() < 0.5:
                del fields[self.random.randrange(4)]
            else:
                fields.insert(0, self.random.choice(fields[:4]))
        elif kind == 3:  # a wrong content-length
            fields.append(["content-length", str(self.random.randrange(1, 1 << 40))])
        elif kind == 4:  # headers that HTTP/2 forbids
            fields.append(self.random.choice([["connection", "close"], ["transfer-encoding", "chunked"], ["te", "gzip"],
                                              ["Upper-Case", "x"], ["", "empty"], ["x-y", "\r\n"]]))
        elif kind == 5:  # a random value for a header that APNs knows
            name = self.random.choice(["apns-id", "apns-priority", "apns-expiration", "apns-collapse-id",
                                       "apns-push-type", "apns-topic", "authorization"])
            value = self.random.randbytes(self.random.randrange(0, 80))
            fields = [field for field in fields if field[0] != name] + [[name, value]]
        elif kind == 6:  # order
            pseudo, regular = fields[:4], fields[4:]
            self.random.shuffle(pseudo)
            self.random.shuffle(regular)
            fields = pseudo + regular
        elif kind == 7:  # long
            fields.append(["x-long", "x" * self.random.randrange(1000, 9000)])
        elif kind == 8:  # a priority
            payload = struct.pack(">IB", self.random.randrange(1 << 31) & ~1, 16) + wire.block(fields)
            return wire.frame(HEADERS, flags | 0x20, stream, payload)
        elif kind == 9:  # padding
            payload = wire.block(fields)
            pad = self.random.randrange(0, 200)
            return wire.frame(HEADERS, flags | 0x08, stream, bytes([pad]) + payload + self.random.randbytes(pad))
        elif kind == 10:  # a method or scheme of random letters
            fields[self.random.randrange(2)][1] = "".join(self.random.choices("GETPOSThtps-", k=5))
        else:  # a mutated token
            token = bytearray(b"bearer " + self.token.encode())
            token[self.random.randrange(len(token))] ^= 1 << self.random.randrange(7)
            fields[4][1] = bytes(token)
        return wire.frame(HEADERS, flags, stream, wire.block(fields))

    def path(self):
        return self.random.choice([PATH, PATH, "/3/device/", "/", "/3/device/" + "f" * self.random.randrange(300), "*"])

    def poison(self, stream):
        """One frame that is a fault of the whole connection, as a rule."""
        block = wire.block(wire.push(self.token, PATH))
        kind = self.random.randrange(8)
        if kind == 6:  # a dependency on itself
            return wire.frame(HEADERS, END_HEADERS | END_STREAM | 0x20, stream, struct.pack(">IB", stream, 16) + block)
        if kind == 7:  # a pseudo-header after a regular one
            fields = wire.push(self.token, PATH)
            return wire.frame(HEADERS, END_HEADERS | END_STREAM, stream, wire.block(fields[4:] + fields[:4]))
        if kind == 0:  # flipped bits anywhere, also in the frame's own header
            data = bytearray(wire.frame(HEADERS, END_HEADERS | END_STREAM, stream, block))
            for _ in range(self.random.randrange(1, 6)):
                data[self.random.randrange(len(data))] ^= 1 << self.random.randrange(8)
            return bytes(data)
        if kind == 1:  # random compressed headers
            return wire.frame(HEADERS, END_HEADERS, stream, self.random.randbytes(self.random.randrange(1, 200)))
        if kind == 2:  # any type, any flags, any stream, any payload
            payload = self.random.randbytes(self.random.randrange(0, 64))
            return wire.frame(self.random.randrange(12), self.random.randrange(256), self.random.randrange(1 << 31), payload)
        if kind == 3:  # no CONTINUATION follows
            return wire.frame(HEADERS, 0, stream, block)
        if kind == 4:  # a window that overflows
            return wire.frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 0x7FFFFFFF)) * 2
        return wire.frame(HEADERS, END_HEADERS, stream, block[: self.random.randrange(1, len(block))])

    def flood(self, connection, data, limit=20):
        """Sends until everything is out, or nothing could be written for two seconds; returns the bytes sent."""
        connection.socket.setblocking(False)
        view, sent, last = memoryview(data), 0, time.monotonic()
        began = last
        while sent < len(view) and time.monotonic() - last < 2 and time.monotonic() - began < limit:
            try:
                sent += connection.socket.send(view[sent : sent + 16384])
                last = time.monotonic()
            except (ssl.SSLWantWriteError, ssl.SSLWantReadError, BlockingIOError):
                select.select([], [connection.raw if connection.raw.fileno() >= 0 else connection.socket], [], 0.1)
            except OSError:
                break
        return sent

    def test_a_client_that_never_reads(self):
        """20,000 requests and more, whose answers are not read."""
        good = wire.block(wire.push(self.token, PATH))
        bad = wire.block(wire.push(self.token, PATH, apns_priority="7"))
        cases = [("good", good, 65535, 20_000), ("bad", bad, 65535, 20_000), ("bad, window 0", bad, 0, 20_000),
                 ("good, more than fits the sockets", good, 65535, 200_000)]
        for name, block, window, count in cases:
            with self.subTest(name):
                before = self.server.resident()
                connection = wire.Connection(self.server, receive_buffer=4096, initial_window_size=window)
                first = connection.request(wire.push(self.token, PATH), BODY)
                connection.answer(first)
                streams = [connection.next_stream() for _ in range(count)]
                data = b"".join(
                    wire.frame(HEADERS, END_HEADERS, stream, block) + wire.frame(DATA, END_STREAM, stream, b"{}")
                    for stream in streams
                )
                with Witness(self.server):
                    sent = self.flood(connection, data)
                    highest = self.server.resident()
                print(f"never reads, {name}: {sent * 100 // len(data)} % of the bytes taken, "
                      f"{(highest - before) / MB:+.1f} MB", flush=True)
                self.assertLess(highest - before, 8 * MB)
                connection.reset()
                self.assertLess(self.settle(before + 8 * MB) - before, 8 * MB, "memory did not return")
                self.still_good()

    def test_floods_of_control_frames(self):
        floods = {
            "PING": wire.frame(PING, 0, 0, b"pingping") * 100_000,
            "SETTINGS": wire.settings(initial_window_size=65535) * 50_000,
            "RST_STREAM": b"".join(
                wire.frame(HEADERS, END_HEADERS, stream, wire.block(wire.push(self.token, PATH)))
                + wire.frame(RST_STREAM, 0, stream, struct.pack(">I", 8))
                for stream in range(1, 20_001, 2)
            ),
            "empty DATA": wire.frame(HEADERS, END_HEADERS, 1, wire.block(wire.push(self.token, PATH)))
            + wire.frame(DATA, 0, 1) * 100_000,
            "CONTINUATION": wire.frame(HEADERS, 0, 1, wire.literal("a", "b"))
            + wire.frame(9, 0, 1, wire.literal("x-more", "y" * 1000)) * 5_000,
            "large body": wire.frame(HEADERS, END_HEADERS, 1, wire.block(wire.push(self.token, PATH)))
            + wire.frame(DATA, 0, 1, bytes(16384)) * 1_000,
        }
        for name, data in floods.items():
            with self.subTest(name):
                before = self.server.resident()
                connection = wire.Connection(self.server, receive_buffer=4096)
                with Witness(self.server):
                    sent = self.flood(connection, data, limit=10)
                    highest = self.server.resident()
                connection.reset()
                print(f"flood of {name}: {sent * 100 // len(data)} % of the bytes taken, "
                      f"{(highest - before) / MB:+.1f} MB", flush=True)
                self.assertLess(highest - before, 8 * MB)
                self.still_good()

    def test_half_sent_streams(self):
        """1000 streams with long headers and the first part of a body, on one connection."""
        before = self.server.resident()
        growth = []
        for _ in range(6):
            connection = wire.Connection(self.server)
            connection.answer(connection.request(wire.push(self.token, PATH), BODY))
            window = 65535 - len(BODY)
            with Witness(self.server):
                for _ in range(1000):
                    fields = wire.push(self.token, PATH) + [("x-filler", "f" * 2000)]
                    part = b'{"aps":{"alert":"' + b"x" * 4000
                    stream = connection.next_stream()
                    connection.send(wire.frame(HEADERS, END_HEADERS, stream, wire.block(fields)))
                    deadline = time.monotonic() + 0.5
                    while window < len(part) and time.monotonic() < deadline:
                        try:
                            got = connection.receive(0.1)
                        except TimeoutError:
                            continue
                        self.assertNotEqual(got.type, RST_STREAM)
                        if got.type == WINDOW_UPDATE and got.stream == 0:
                            window += struct.unpack(">I", got.payload)[0]
                    part = part[:window]  # a server may also choose to give no more window: that bounds it, too
                    if part:
                        connection.send(wire.frame(DATA, 0, stream, part))
                        window -= len(part)
                growth.append(self.server.resident() - before)
            connection.reset()
            self.until_alone()
        self.still_good()
        print("1000 half-sent streams, six times: " + ", ".join(f"{g / MB:+.1f} MB" for g in growth), flush=True)
        self.assertLess(growth[0], 16 * MB)
        # Pools and the allocator keep something for the next connection, but not more each time.
        self.assertLess(growth[-1] - growth[2], 4 * MB, "memory grows with each connection")

    def test_slow_clients(self):
        """Handshakes and requests that come byte by byte, and many that stop in the middle."""
        hello = self.hello()
        silent = []
        with Witness(self.server):
            for number in range(300):
                raw = self.plain()
                raw.sendall(hello[: number % 3 * 40])
                silent.append(raw)
            connection = wire.Connection(self.server)
            block = wire.block(wire.push(self.token, PATH))
            stream = connection.next_stream()
            whole = wire.frame(HEADERS, END_HEADERS, stream, block) + wire.frame(DATA, END_STREAM, stream, BODY)
            for byte in whole:
                connection.send(bytes([byte]))
            self.assertEqual(dict(connection.answer(stream)[0])[":status"], "200")
            connection.close()
            raw = self.plain()
            incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            client = self.server.tls().wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
            while True:
                try:
                    client.do_handshake()
                    done = True
                except ssl.SSLWantReadError:
                    done = False
                for byte in outgoing.read():
                    raw.send(bytes([byte]))
                    time.sleep(0.0005)
                if done:
                    break
                incoming.write(raw.recv(4096))
        for raw in silent:
            raw.close()
        self.still_good()

    def test_connects_and_disconnects(self):
        growth = []
        before = self.server.resident()
        with Witness(self.server, longest=3.0):
            for number in range(3000):
                if number % 4 == 0:
                    socket.create_connection(("127.0.0.1", self.server.port), PATIENCE).close()
                elif number % 4 == 1:
                    wire.Connection(self.server, start=False).reset()
                elif number % 4 == 2:
                    connection = wire.Connection(self.server, start=False)
                    connection.send(wire.PREFACE + wire.settings())
                    connection.close()
                else:
                    connection = wire.Connection(self.server, start=False)
                    stream = connection.next_stream()
                    connection.send(
                        wire.PREFACE + wire.settings()
                        + wire.frame(HEADERS, END_HEADERS, stream, wire.block(wire.push(self.token, PATH)))
                        + wire.frame(DATA, END_STREAM if number % 8 == 3 else 0, stream, BODY)
                    )
                    connection.reset() if number % 16 < 8 else connection.close()
                # The server keeps what it had for as many as were open at once. The witness has one.
                if number % 20 == 19:
                    until(lambda: self.open_connections() <= 1, lambda: "connections that are gone are still open")
                if number % 1000 == 999:
                    growth.append(self.server.resident() - before)
        print("3000 connects and disconnects: " + ", ".join(f"{g / MB:+.1f} MB" for g in growth), flush=True)
        self.still_good()
        self.assertLess(growth[2] - growth[0], 4 * MB, "memory grows with each connection")
        self.until_alone()


if __name__ == "__main__":
    unittest.main()
