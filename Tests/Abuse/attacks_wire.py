"""Bytes that are almost a conversation: above TLS, in TLS, and instead of it."""

import socket
import ssl
import struct

import h2.config
import h2.connection
import h2.exceptions

import wire
from victim import BODY, PATH, attack, demand

PREFACE = 24


def conversation(victim, random):
    """The bytes of a client of 8 pushes, by h2: compressed headers, settings, priorities, windows, a reset, a ping."""
    settings = h2.config.H2Configuration(client_side=True, header_encoding=None, validate_outbound_headers=False)
    client = h2.connection.H2Connection(settings)
    client.initiate_connection()
    for number in range(8):
        stream = client.get_next_available_stream_id()
        client.send_headers(stream, wire.push(victim.token_text, PATH, apns_collapse_id=f"c{number}"))
        if number == 3:
            client.prioritize(stream, weight=20)
        if number == 4:
            client.reset_stream(stream, 8)
            continue
        client.send_data(stream, BODY, end_stream=True)
    client.increment_flow_control_window(random.randrange(1, 100_000))
    client.ping(b"8 bytes.")
    client.update_settings({4: random.randrange(0, 1 << 20)})
    return client.data_to_send()


def frames(data):
    """The frames of what follows the preface."""
    found, start = [], PREFACE
    while start < len(data):
        length = int.from_bytes(data[start : start + 3], "big") + 9
        found.append(bytearray(data[start : start + length]))
        start += length
    return found


def mutate(found, random):
    """Changes some of the frames, as wholes or in their bytes."""
    for _ in range(random.choice([1, 1, 2, 3, 8])):
        index = random.randrange(len(found))
        frame = found[index]
        kind = random.randrange(12)
        if kind < 4 and frame:  # bits anywhere
            for _ in range(random.randrange(1, 5)):
                frame[random.randrange(len(frame))] ^= 1 << random.randrange(8)
        elif kind == 4:  # its length
            frame[:3] = random.choice([b"\0\0\0", b"\xff\xff\xff", random.randbytes(3)])
        elif kind == 5 and len(frame) > 4:  # its type and flags
            frame[3], frame[4] = random.randrange(16), random.randrange(256)
        elif kind == 6:  # its stream
            frame[5:9] = struct.pack(">I", random.choice([0, 1, 2, 3, 1 << 31, (1 << 32) - 1, random.getrandbits(32)]))
        elif kind == 7:
            found.insert(random.randrange(len(found) + 1), bytearray(frame))
        elif kind == 8 and len(found) > 1:
            del found[index]
        elif kind == 9:
            other = random.randrange(len(found))
            found[index], found[other] = found[other], found[index]
        elif kind == 10:  # another payload of the same length
            frame[9:] = random.randbytes(len(frame) - 9)
        else:  # a frame of anything
            payload = random.randbytes(random.randrange(0, 300))
            header = struct.pack(">I", len(payload))[1:] + random.randbytes(6)
            found.insert(index, bytearray(header + payload))


def exchange(connection, data, random):
    """Sends bytes in pieces; returns how many frames came back before the end, or within a moment."""
    got = 0
    try:
        start = 0
        while start < len(data):
            end = start + random.choice([1, 9, 100, 1000, len(data)])
            connection.send(data[start:end])
            start = end
        while True:
            connection.receive(timeout=0.02)
            got += 1
    except (OSError, ssl.SSLError, wire.Closed):
        pass
    return got


@attack("mutated-frames", seconds=120)
def mutated_frames(victim, random, scale):
    """HTTP/2 frames that were changed above the TLS layer."""
    connections, got, answered = int(1500 * scale), 0, 0
    for number in range(connections):
        data = conversation(victim, random)
        found = frames(data)
        mutate(found, random)
        connection = wire.Connection(victim, start=False)
        count = exchange(connection, data[:PREFACE] + b"".join(found), random)
        got, answered = got + count, answered + (count > 0)
        connection.reset() if number % 3 == 0 else connection.close()
    demand(answered > connections // 2, f"only {answered} of {connections} connections were answered")
    return f"{connections} conversations mutated, {got} frames back"


@attack("mutated-records", seconds=60)
def mutated_records(victim, random, scale):
    """TLS records that were changed: in the handshake, and after it."""
    connections, ended = int(800 * scale), 0
    for number in range(connections):
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        client = victim.tls().wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
        raw = socket.create_connection(("127.0.0.1", victim.port), 5)
        try:
            # Which flight is spoiled: ClientHello, what ends the handshake, or the first records with plaintext.
            for flight in range(3):
                try:
                    if flight < 2:
                        client.do_handshake()
                    else:
                        client.write(conversation(victim, random))
                except ssl.SSLWantReadError:
                    pass
                data = bytearray(outgoing.read())
                if flight == number % 3 and data:
                    for _ in range(random.randrange(1, 6)):
                        data[random.randrange(len(data))] = random.randrange(256)
                    if random.random() < 0.2:
                        del data[random.randrange(len(data)) :]
                    raw.sendall(data)
                    raw.shutdown(socket.SHUT_WR)
                    while raw.recv(65536):
                        pass
                    ended += 1
                    break
                raw.sendall(data)
                if flight == 0:
                    incoming.write(raw.recv(65536))
        except (ssl.SSLError, ConnectionError):
            ended += 1
        except TimeoutError:
            pass
        finally:
            raw.close()
    demand(ended == connections, f"{connections - ended} of {connections} connections were left hanging")
    return f"{connections} connections spoiled"


@attack("no-http2", seconds=60)
def no_http2(victim, random, scale):
    """Anything but HTTP/2 over TLS, and anything but TLS."""
    count = int(600 * scale)
    for number in range(count):
        data = random.choice([
            random.randbytes(random.randrange(1, 5000)), b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", wire.PREFACE[:-3] + b"\0\0\0",
            wire.PREFACE + random.randbytes(400), b"A" * 70_000, b"CONNECT x:1 HTTP/1.1\r\n\r\n",
        ])
        if number % 2:
            connection = wire.Connection(victim, start=False)
            exchange(connection, data, random)
            connection.close()
            continue
        with socket.create_connection(("127.0.0.1", victim.port), 5) as raw:
            try:
                raw.sendall(data)
                raw.shutdown(socket.SHUT_WR)
                raw.settimeout(2)
                while raw.recv(65536):
                    pass
            except ConnectionError:
                pass
    return f"{count} connections of something else"
