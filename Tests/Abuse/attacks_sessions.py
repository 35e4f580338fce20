"""Sessions: as many as there can be, and their ends."""

import json
import time
import types

import wire
from victim import BODY, MB, PATH, attack, demand


@attack("sessions", memory=48, seconds=180)
def sessions(victim, random, scale):
    """A thousand sessions, opened, pushed to and ended; one more is refused."""
    count = int(1000 * scale)
    token = victim.token()
    before = victim.resident()
    began = time.monotonic()
    ports = []
    for number in range(count):
        status, body = victim.call("POST", "/api/v1/sessions", {"name": f"s-{number}"})
        demand(status == 201, f"session {number}: {status} {body}")
        ports.append(int(json.loads(body)["apns"].rpartition(":")[2]))
    opened = time.monotonic() - began
    if count == 1000:
        status, body = victim.call("POST", "/api/v1/sessions", {})
        demand(status == 503, f"one more: {status} {body}")
    for number in random.sample(range(count), min(count, 100)):
        with wire.Connection(types.SimpleNamespace(port=ports[number], tls=victim.tls)) as connection:
            headers, body, _ = connection.answer(connection.request(wire.push(token, PATH), BODY))
            demand(dict(headers)[":status"] == "200", f"a push to session {number}: {headers} {body}")
    grown = (victim.resident() - before) / MB
    began = time.monotonic()
    for number in range(count):
        status, body = victim.call("DELETE", f"/api/v1/sessions/s-{number}")
        demand(status == 200, f"the end of session {number}: {status} {body}")
    ended = time.monotonic() - began
    demand(victim.get("/api/v1/sessions")["sessions"] == [], "sessions are left")
    return f"{count} opened in {opened:.1f} s, ended in {ended:.1f} s; {grown:.0f} MB while they were there"
