"""SIGTERM at the worst moment, and memory that clients take without reading or sending anything to speak of."""

import collections
import json
import pathlib
import socket
import subprocess
import tempfile
import threading
import time

import wire
from server import device
from victim import BODY, MB, PATH, Victim, attack, demand
from wire import ACK, GOAWAY, HEADERS, SETTINGS
from witness import Witness


@attack("end-of-openings", seconds=300, ends=True)
def end_of_openings(victim, random, scale):
    """SIGTERM while sessions are opened and ended: the process ends soon, in each of many rounds."""
    rounds, slowest = max(3, int(20 * scale)), 0.0
    for number in range(rounds):
        server = victim if number == 0 else Victim()
        if number:
            server.__enter__()
        opened, goal = threading.Semaphore(0), random.randrange(1, 20)

        def work(worker, server=server, opened=opened):
            try:
                for each in range(10_000):
                    status, _ = server.call("POST", "/api/v1/sessions", {"name": f"s-{worker}-{each}"})
                    demand(status in (201, 503), f"a session was answered {status}")
                    opened.release()
                    if each % 3 == 0:
                        server.call("DELETE", f"/api/v1/sessions/s-{worker}-{each}")
            except OSError:
                # The server has ended.
                pass
            except Exception as error:  # told in the main thread
                failures.append(error)

        failures = []
        threads = [threading.Thread(target=work, args=(worker,), daemon=True) for worker in range(8)]
        for thread in threads:
            thread.start()
        for _ in range(goal):
            opened.acquire()
        began = time.monotonic()
        try:
            server.end()
        finally:
            for thread in threads:
                thread.join(10)
            if number:
                server.__exit__()
        slowest = max(slowest, time.monotonic() - began)
        demand(not failures, f"{failures[:1]}")
        demand("EventLoop" not in server.stderr() if number == 0 else True, "NIO warns")
    return f"{rounds} rounds, the slowest end took {slowest:.2f} s"


@attack("settings-flood", seconds=180)
def settings_flood(victim, random, scale):
    """A hundred SETTINGS for each of 400 pushes, none of them acknowledged: others wait 50 ms at most."""
    status, answer = victim.call("PUT", "/api/v1/scenario", {
        "devices": [{"name": "flooded", "token": device(11)}],
        "rules": [{"when": {"device": "flooded"}, "then": {"hostile": "settingsFlood"}}]})
    demand(status == 200, f"the scenario was answered {status}: {answer[:200]!r}")
    count = max(100, int(400 * scale))
    with Witness(victim, longest=0.05, median=0.05), wire.Connection(victim) as connection:
        fields = wire.push(victim.token_text, "/3/device/" + device(11))
        connection.answer(connection.request(wire.push(victim.token_text, PATH), BODY))
        began, answered = time.monotonic(), 0
        for start in range(0, count, 100):
            streams = [connection.request(fields, BODY) for _ in range(min(100, count - start))]
            while streams and time.monotonic() - began < 60:
                try:
                    got = connection.receive(timeout=5)
                except (wire.Closed, TimeoutError):
                    # It may have had enough of this client.
                    streams = []
                    break
                if got.type == HEADERS and got.stream in streams:
                    streams.remove(got.stream)
                    answered += 1
            else:
                continue
            break
        took = time.monotonic() - began
    return f"{answered} of {count} pushes answered in {took:.1f} s, without an acknowledgement"


@attack("unread-events", "--log-limit", "1000", memory=48, seconds=300)
def unread_events(victim, random, scale):
    """Event streams that are not read, round after round: what they take is bounded, and given back."""
    rounds, streams = max(2, int(7 * scale)), max(10, int(100 * min(scale, 1)))
    body = b'{"aps":{"alert":"' + b"x" * 3000 + b'"}}'
    victim.push_many(1000, body=body)
    before, most = victim.resident(), 0
    for _ in range(rounds):
        held = []
        try:
            for _ in range(streams):
                raw = victim.admin_socket()
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                raw.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                held.append(raw)
            for raw in held:
                raw.recv(12)
            victim.push_many(int(3000 * max(scale, 0.3)), body=body)
            most = max(most, victim.resident() - before)
        finally:
            for raw in held:
                raw.close()
    demand(most <= 128 * MB, f"{most / MB:.0f} MB for {streams} streams")
    return f"{rounds} rounds of {streams} streams, {most / MB:.0f} MB at most"


# Extensions of Apple's push certificates: for the sandbox, and for production.
APPLE = ["1.2.840.113635.100.6.3.1", "1.2.840.113635.100.6.3.2"]


@attack("long-subjects", memory=24, seconds=180)
def long_subjects(victim, random, scale):
    """Client certificates whose subjects have 73 KB, good and refused ones: what is kept of each is bounded."""
    count = max(50, int(500 * scale))
    units = "".join(f"/OU={number:04}{'x' * 60}" for number in range(1130))
    told, before = [], victim.resident()

    def context(folder, extensions):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
             "-subj", f"/UID=com.example.app/CN=Apple Push Services: com.example.app{units}",
             "-CA", str(victim.certs / "ca.pem"), "-CAkey", str(victim.certs / "ca.key"),
             "-addext", "basicConstraints=critical,CA:FALSE", "-addext", "extendedKeyUsage=clientAuth",
             *(word for extension in extensions for word in ("-addext", f"{extension}=DER:0500")),
             "-keyout", str(folder / "long.key"), "-out", str(folder / "long.pem")],
            check=True, capture_output=True, timeout=60)
        tls = victim.tls()
        tls.load_cert_chain(folder / "long.pem", folder / "long.key")
        return tls

    def push(tls):
        """The status of a push by certificate, or the reason with which the certificate is refused."""
        with wire.Connection(victim, tls, start=False, timeout=10) as connection:
            connection.send(wire.PREFACE + wire.settings())
            connection.expect(SETTINGS)
            connection.send(wire.frame(SETTINGS, ACK))
            connection.request(wire.push("", PATH, authorization=None, apns_topic=None), BODY)
            while (got := connection.receive()).type not in (GOAWAY, HEADERS):
                pass
            if got.type == GOAWAY:
                return json.loads(got.payload[8:])["reason"]
            return int(dict(connection.fields(got))[":status"])

    with tempfile.TemporaryDirectory(prefix="mock-apns-abuse-") as name:
        for extensions, expected in (APPLE, 200), ([], "BadCertificate"):
            tls = context(pathlib.Path(name), extensions)
            outcomes = collections.Counter(push(tls) for _ in range(count))
            demand(outcomes == {expected: count}, f"{count} connections had {dict(outcomes)}")
            told.append(f"{count} {expected}")
    grown = (victim.resident() - before) / MB
    # A quarter of what their subjects have.
    demand(grown <= 4 + 2 * count * 18_000 / MB, f"{grown:.0f} MB for {told}")
    # Whoever asks gets no more than is kept.
    status, answer = victim.call("GET", "/api/v1/connections")
    demand(status == 200, f"the connections were answered {status}")
    long = [connection for connection in json.loads(answer)["connections"] if connection["clientCertificate"]]
    demand(len(long) == 2 * count, f"{len(long)} of {2 * count} connections with a certificate are listed")
    for connection in long:
        subject, length = connection["clientCertificate"]["subject"], len(json.dumps(connection))
        demand("… (cut from " in subject and len(subject) < 1200, f"a subject of {len(subject)} characters is kept")
        demand(length < 4000, f"{length} bytes are told of a connection")
    status, answer = victim.call("POST", "/api/v1/requests/find", {"requests": {"keyID": {"exists": False}}, "limit": 1000})
    records = [len(json.dumps(record)) for record in json.loads(answer)["requests"]]
    demand(len(records) >= count and max(records) < 4000, f"{len(records)} records, the longest has {max(records)} bytes")
    return f"{', '.join(told)}, {grown:.1f} MB, {max(records)} bytes a record at most"
