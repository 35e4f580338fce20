"""More of something than a client needs, and clients that are slow; others are served meanwhile."""

import select
import socket
import ssl
import struct
import threading
import time

import wire
from victim import BODY, MB, PATH, attack, demand
from wire import DATA, END_HEADERS, END_STREAM, HEADERS, PING, PRIORITY, RST_STREAM, WINDOW_UPDATE
from witness import Witness

CONTINUATION = 9


def pour(connection, data, seconds):
    """Sends until everything is out, nothing could be written for two seconds, or time is up; returns the bytes sent."""
    connection.socket.setblocking(False)
    view, sent, last = memoryview(data), 0, time.monotonic()
    began = last
    while sent < len(view) and time.monotonic() - last < 2 and time.monotonic() - began < seconds:
        try:
            sent += connection.socket.send(view[sent : sent + 16384])
            last = time.monotonic()
        except (ssl.SSLWantWriteError, ssl.SSLWantReadError, BlockingIOError):
            select.select([], [connection.socket], [], 0.1)
        except OSError:
            break
    return sent


def bomb():
    """One long field in the dynamic table, and then headers that name it thousands of times."""
    name, value = b"x-bomb", b"b" * 3900
    length = len(value) - 127
    first = b"\x40" + bytes([len(name)]) + name + b"\x7f" + bytes([length % 128 + 128, length // 128]) + value
    data = wire.frame(HEADERS, END_HEADERS | END_STREAM, 1, first)
    for stream in range(3, 403, 2):
        data += wire.frame(HEADERS, END_HEADERS | END_STREAM, stream, b"\xbe" * 16_000)
    return data


def floods(victim, scale):
    block = wire.block(wire.push(victim.token_text, PATH))
    many = int(20_000 * max(scale, 0.1))
    streams = range(1, 2 * many, 2)
    return {
        "PING": wire.frame(PING, 0, 0, b"pingping") * (many * 5),
        "SETTINGS": wire.settings(initial_window_size=65535) * (many * 3),
        "rapid reset": b"".join(
            wire.frame(HEADERS, END_HEADERS, stream, block) + wire.frame(RST_STREAM, 0, stream, struct.pack(">I", 8))
            for stream in streams),
        "CONTINUATION": wire.frame(HEADERS, 0, 1, wire.literal("a", "b"))
        + wire.frame(CONTINUATION, 0, 1, wire.literal("x-more", "y" * 1000)) * (many // 4),
        "empty CONTINUATION": wire.frame(HEADERS, 0, 1, block) + wire.frame(CONTINUATION, 0, 1) * (many * 5),
        "header bomb": bomb(),
        "PRIORITY": wire.frame(PRIORITY, 0, 1, struct.pack(">IB", 0, 15)) * (many * 5),
        "WINDOW_UPDATE": wire.frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1)) * (many * 5),
        "empty DATA": wire.frame(HEADERS, END_HEADERS, 1, block) + wire.frame(DATA, 0, 1) * (many * 5),
        "unknown frames": wire.frame(0xEE, 0xFF, 5, b"x" * 100) * (many * 2),
        "large bodies": b"".join(
            wire.frame(HEADERS, END_HEADERS, stream, block) + wire.frame(DATA, 0, stream, bytes(16384)) * 4
            for stream in range(1, 401, 2)),
        "unread answers": b"".join(
            wire.frame(HEADERS, END_HEADERS, stream, block) + wire.frame(DATA, END_STREAM, stream, b"{}")
            for stream in streams),
    }


@attack("floods", seconds=180)
def flood(victim, random, scale):
    """Twelve kinds of frames, each as fast as the server takes them, from a client that reads nothing."""
    victim.token_text = victim.token()
    told = []
    for name, data in floods(victim, scale).items():
        before = victim.resident()
        with Witness(victim):
            connection = wire.Connection(victim, receive_buffer=4096)
            sent = pour(connection, data, 10)
            grown = (victim.resident() - before) / MB
        connection.reset()
        told.append(f"{name} {sent * 100 // len(data)} %")
        demand(grown < 16, f"{grown:.0f} MB more during a flood of {name}")
    return "taken: " + ", ".join(told)


@attack("slow-clients", seconds=60)
def slow_clients(victim, random, scale):
    """Connections that never say anything, stop in the middle, or say one byte at a time; on both ports."""
    count = int(400 * scale)
    held, halves = [], []
    request = b"POST /api/v1/requests/find HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"
    try:
        with Witness(victim):
            for number in range(count):
                raw = socket.create_connection(("127.0.0.1", victim.port), 5)
                raw.sendall(b"\x16\x03\x01\x02\x00\x01"[: number % 7])
                held.append(raw)
                raw = victim.admin_socket()
                raw.sendall(request[: random.randrange(len(request))])
                held.append(raw)
            for number in range(count // 4):
                connection = wire.Connection(victim)
                data = wire.frame(HEADERS, END_HEADERS, 1, wire.block(wire.push(victim.token_text, PATH)))
                connection.send(data[: random.randrange(1, len(data))] if number % 2 else data)
                halves.append(connection)
            deadline = time.monotonic() + 3 * max(scale, 0.3)
            while time.monotonic() < deadline:
                for raw in random.sample(held, min(len(held), 20)):
                    try:
                        raw.send(b"x")
                    except OSError:
                        pass
                time.sleep(0.01)
            demand(victim.call("GET", "/readyz")[0] == 200, "/readyz is not 200 with slow clients about")
    finally:
        for each in held + halves:
            each.close()
    return f"{2 * count} half-open connections, {count // 4} half requests"


@attack("connects", seconds=60)
def connects(victim, random, scale):
    """Connections that come and go, at each point of their lives, from several threads."""
    count, threads = int(600 * scale), 4

    def go(numbers):
        for number in numbers:
            try:
                if number % 4 == 0:
                    socket.create_connection(("127.0.0.1", victim.port), 5).close()
                    continue
                connection = wire.Connection(victim, start=False)
                if number % 4 > 1:
                    connection.send(wire.PREFACE + wire.settings())
                if number % 4 > 2:
                    connection.request(wire.push(victim.token_text, PATH), BODY)
                connection.reset() if number % 2 else connection.close()
            except OSError:
                pass

    workers = [threading.Thread(target=go, args=(range(count),), daemon=True) for _ in range(threads)]
    with Witness(victim):
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    return f"{threads * count} connections"


@attack("never-reads-admin", memory=24, seconds=60)
def never_reads_admin(victim, random, scale):
    """Readers of events and of large answers who stop reading."""
    victim.push_many(1000, body=b'{"aps":{"alert":"' + b"x" * 3000 + b'"}}')
    held = []
    try:
        for number in range(int(40 * max(scale, 0.3))):
            raw = victim.admin_socket()
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            path = "/api/v1/events" if number % 2 else "/api/v1/requests?limit=1000"
            raw.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            held.append(raw)
        slowest = victim.push_many(5000)
    finally:
        for raw in held:
            raw.close()
    demand(slowest < 2, f"a hundred pushes took {slowest:.1f} s")
    return f"{len(held)} readers that do not read, slowest hundred pushes {slowest * 1000:.0f} ms"
