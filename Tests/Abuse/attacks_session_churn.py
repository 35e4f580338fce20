"""Sessions that come and go while others push."""

import json
import threading
import time
import urllib.parse

import wire
from victim import BODY, MB, PATH, attack, demand

SCENARIO = {
    "clock": {"manual": "now"},
    "devices": [{"name": "alice", "token": PATH.rsplit("/", 1)[1]}],
    "rules": [{"name": "busy", "times": 1, "then": {"reject": "TooManyRequests"}}],
    "expect": [{"requests": {"status": 200}, "count": {"atLeast": 1}}],
}
PUSHES = 20


class Session:
    """One session, as far as a connection has to know it."""

    def __init__(self, victim, name):
        status, answer = victim.call("POST", "/api/v1/sessions", {"name": name, "scenario": SCENARIO}, timeout=60)
        demand(status == 201, f"a session was answered {status}: {answer[:200]!r}")
        self.victim, self.path = victim, f"/api/v1/sessions/{name}"
        self.port = urllib.parse.urlsplit(json.loads(answer)["apns"]).port

    def push(self, context):
        with wire.Connection(self, context, timeout=60) as connection:
            statuses = []
            for _ in range(PUSHES):
                headers, _, _ = connection.answer(
                    connection.request(wire.push(self.victim.token_text, PATH), BODY), 60)
                statuses.append(dict(headers)[":status"])
            demand(statuses == ["429"] + ["200"] * (PUSHES - 1), f"pushes were answered {statuses}")
            status, answer = self.victim.call("POST", f"{self.path}/clock/advance", {"by": "10m"}, timeout=60)
            demand(status == 200, f"the clock was answered {status}: {answer[:200]!r}")
            # Half of them are ended while the provider is connected.
            if self.port % 2:
                self.end()
                return
        self.end()

    def end(self):
        status, answer = self.victim.call("DELETE", self.path, timeout=60)
        demand(status == 200 and json.loads(answer)["passed"], f"the end was answered {status}: {answer[:200]!r}")


def come_and_go(victim, prefix, count, workers=4):
    """Opens, uses and ends so many sessions, a few at a time."""
    context, failures = victim.tls(), []

    def work(worker):
        try:
            for number in range(worker, count, workers):
                Session(victim, f"{prefix}-{number}").push(context)
        except Exception as error:  # told in the main thread
            failures.append(error)

    threads = [threading.Thread(target=work, args=(worker,), daemon=True) for worker in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def settled(victim, descriptors):
    """Resident memory and descriptors, when as few descriptors are open as before, or it has had time for it."""
    deadline = time.monotonic() + 15
    while victim.descriptors() > descriptors and time.monotonic() < deadline:
        time.sleep(0.2)
    return victim.resident(), victim.descriptors()


# With a short log, so that what the server keeps of the pushes beside them is soon as much as it will be.
@attack("session-churn", "--log-limit", "1000", memory=24, seconds=300)
def session_churn(victim, random, scale):
    """1000 sessions opened, pushed to and ended while the server itself is pushed to; then many at the same time."""
    count, stop, pushed, failures = max(100, int(1000 * scale)), threading.Event(), [0], []

    def load():
        try:
            while not stop.is_set():
                victim.push_many(100)
                pushed[0] += 100
        except Exception as error:  # told in the main thread
            failures.append(error)

    descriptors = victim.descriptors()
    come_and_go(victim, "first", 100)
    before, open_before = settled(victim, descriptors)
    loader = threading.Thread(target=load, daemon=True)
    loader.start()
    began = time.monotonic()
    try:
        come_and_go(victim, "next", count)
    finally:
        stop.set()
        loader.join()
    took = time.monotonic() - began
    demand(not failures, f"pushes beside them failed: {failures}")
    after, open_after = settled(victim, descriptors)
    grown = (after - before) / MB
    demand(grown <= 16, f"{grown:.1f} MB more after {count} sessions")
    demand(open_after <= open_before, f"{open_after - open_before} descriptors more after {count} sessions")
    many = max(50, int(500 * scale))
    there = [Session(victim, f"stays-{number}") for number in range(many)]
    each, files = (victim.resident() - after) / many / 1024, (victim.descriptors() - open_after) / many
    victim.call("GET", "/api/v1/sessions")
    for session in there:
        status, _ = victim.call("DELETE", session.path, timeout=60)
        demand(status == 200, f"the end was answered {status}")
    _, open_last = settled(victim, descriptors)
    demand(open_last <= open_before, f"{open_last - open_before} descriptors more after {many} that stayed")
    listed = json.loads(victim.call("GET", "/api/v1/sessions")[1])["sessions"]
    demand(not listed, f"{len(listed)} sessions are left")
    return (f"{count} sessions in {took:.1f} s beside {pushed[0]} pushes, {grown:+.1f} MB, "
            f"{open_after - open_before:+d} fd; one that stays costs {each:.0f} KB and {files:.1f} fd")
