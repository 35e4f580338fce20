"""What the admin API can make grow: each has a limit, a figure in /metrics, and gives its memory back."""

import contextlib
import json
import select
import socket
import time

from server import TOPIC, device
from victim import MB, attack, demand


def figures(victim, name):
    """(limit, used, dropped) of a collection in /metrics."""
    text = victim.call("GET", "/metrics")[1].decode()
    found = {}
    for line in text.splitlines():
        for family in ("limit", "used", "dropped_total"):
            start = f'mock_apns_{family}{{name="{name}"}} '
            if line.startswith(start):
                found[family] = int(line.removeprefix(start))
    return found["limit"], found["used"], found["dropped_total"]


@attack("repeated-pushes", memory=24, seconds=60)
def repeated_pushes(victim, random, scale):
    """Large pushes that are repeated once a day: a hundred at most, and a reset frees them."""
    payload = {"filler": "x" * 900_000}
    body = json.dumps({"token": device(1), "topic": TOPIC, "payload": payload, "repeat": 1000, "every": "1d"}).encode()
    statuses = {}
    for _ in range(120):
        status, _ = victim.call("POST", "/api/v1/pushes", body)
        statuses[status] = statuses.get(status, 0) + 1
    demand(statuses == {202: 100, 409: 20}, f"answered {statuses}")
    demand(figures(victim, "repeated_pushes") == (100, 100, 20), f"/metrics has {figures(victim, 'repeated_pushes')}")
    session = json.loads(victim.call("POST", "/api/v1/sessions", {"name": "growth"})[1])["name"]
    victim.call("POST", f"/api/v1/sessions/{session}/pushes", body)
    victim.call("DELETE", f"/api/v1/sessions/{session}")
    peak = victim.resident()
    victim.call("POST", "/api/v1/reset", b"")
    demand(figures(victim, "repeated_pushes")[1] == 0, "some are left after a reset")
    return f"{statuses}, {peak / MB:.0f} MB before the reset"


@attack("unread-streams", "--log-limit", "3000", memory=32, seconds=120)
def unread_streams(victim, random, scale):
    """Event streams that are not read, in several rounds: little waits for each, and it is given back."""
    body = b'{"aps":{"alert":"' + b"x" * 3900 + b'"}}'
    rounds, told = max(2, int(7 * scale)), []
    before = victim.resident()
    for _ in range(rounds):
        with contextlib.ExitStack() as stack:
            for _ in range(100):
                raw = stack.enter_context(victim.admin_socket())
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                raw.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 0-0\r\n\r\n")
            victim.push_many(6000, body)
            time.sleep(1)
            told.append((victim.resident() - before) / MB)
    demand(max(told) < 120, f"{[round(each) for each in told]} MB more in the rounds")
    return f"{rounds} rounds of 100: {', '.join(f'{each:.0f}' for each in told)} MB more while they were open"


@attack("unread-stream-ends", "--log-limit", "3000", seconds=240)
def unread_stream_ends(victim, random, scale):
    """A client that reads nothing is disconnected after half a minute, and notices."""
    with victim.admin_socket(60) as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.sendall(b"GET /api/v1/requests?limit=1000 HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
        poll, began = select.poll(), time.monotonic()
        poll.register(raw, select.POLLHUP | select.POLLERR | select.POLLRDHUP)
        demand(poll.poll(75_000), "it is still connected after 75 s")
        seconds = time.monotonic() - began
    demand(seconds > 25, f"it was disconnected after {seconds:.0f} s")
    demand(figures(victim, "unread_answer_bytes")[1:] == (0, 1), f"{figures(victim, 'unread_answer_bytes')} in /metrics")
    return f"disconnected after {seconds:.0f} s"


@attack("many-rules", memory=32, seconds=120)
def many_rules(victim, random, scale):
    """Rules up to the limit: none takes longer to add than the first, and pushes that none is about cost what they did."""
    def cost(count=3000):
        before = victim.processor_seconds()
        victim.push_many(count)
        return (victim.processor_seconds() - before) / count * 1e6

    without, times = min(cost(), cost()), []
    for number in range(10_010):
        rule = json.dumps({"when": {"topic": f"com.example.n{number}"}, "then": {"reject": "Shutdown"}}).encode()
        began = time.monotonic()
        status, _ = victim.call("POST", "/api/v1/rules", rule)
        times.append(time.monotonic() - began)
        demand(status == (201 if number < 10_000 else 409), f"rule {number} was answered {status}")
    demand(figures(victim, "rules") == (10_000, 10_000, 10), f"{figures(victim, 'rules')} in /metrics")
    first, last = (sorted(part)[len(part) // 2] * 1000 for part in (times[:1000], times[9000:10_000]))
    demand(last < first * 2 + 1, f"the last took {last:.2f} ms to add, the first {first:.2f}")
    with_rules = min(cost(), cost())
    demand(with_rules < without * 1.6, f"a push costs {with_rules:.0f} µs instead of {without:.0f}")
    return f"{first:.2f} ms for the first, {last:.2f} for the last; {with_rules:.0f} µs a push instead of {without:.0f}"


@attack("many-channels", memory=64, seconds=120)
def many_channels(victim, random, scale):
    """Thousands of channels come in pages, each small and soon there."""
    count = max(2000, int(20_000 * scale))
    scenario = {"channels": [{"name": f"c{number}", "topic": f"com.example.a{number % 50}"} for number in range(count)]}
    demand(victim.call("PUT", "/api/v1/scenario", scenario)[0] == 200, "the scenario is refused")
    known, after, slowest, largest = 0, 0, 0.0, 0
    while after is not None:
        began = time.monotonic()
        status, answer = victim.call("GET", f"/api/v1/channels?limit=1000&after={after}")
        slowest, largest = max(slowest, time.monotonic() - began), max(largest, len(answer))
        demand(status == 200, f"a page was answered {status}")
        page = json.loads(answer)
        known, after = known + len(page["channels"]), page["next"]
    demand(known == count, f"{known} of {count} channels on all pages")
    demand(largest < MB, f"a page of {largest} bytes")
    demand(len(victim.call("GET", "/api/v1/channels")[1]) < MB // 10, "a page that is not asked for has more than 100 KB")
    demand(slowest < 1, f"a page took {slowest:.1f} s")
    return f"{count} channels, {largest / 1000:.0f} KB and {slowest * 1000:.0f} ms a page at most"


@attack("many-topics", memory=48, seconds=120)
def many_topics(victim, random, scale):
    """More topics than are kept: refused by the API, and never every topic."""
    statuses = {}
    for number in range(70):
        topics = [f"com.example.t{number}.n{topic}" for topic in range(1000)]
        status, answer = victim.call("POST", "/api/v1/devices", {"token": device(number + 100), "topics": topics})
        statuses[status] = statuses.get(status, 0) + 1
        demand(status != 201 or len(json.loads(answer)["topics"]) == 1000, f"device {number} lost topics")
    demand(statuses == {201: 65, 409: 5}, f"answered {statuses}")
    status, _ = victim.push(**{":path": "/3/device/" + device(100)})
    demand(status == 400, f"a push with a topic that the device does not have was answered {status}")
    return f"{statuses}"


@attack("many-tokens", memory=24, seconds=60)
def many_tokens(victim, random, scale):
    """A billion allowed provider tokens is a mistake; ten thousand are looked through quickly."""
    def scenario(allowed):
        updates = {"allowed": allowed, "per": "1h", "scope": "listener"}
        return {"authentication": {"providerTokenUpdates": updates}}

    status, answer = victim.call("PUT", "/api/v1/scenario", scenario(1_000_000_000))
    demand(status == 400 and b"10000" in answer, f"a billion was answered {status} {answer[:200]!r}")
    demand(victim.call("PUT", "/api/v1/scenario", scenario(10_000))[0] == 200, "ten thousand are refused")

    def cost(count, start):
        before = victim.processor_seconds()
        for number in range(start, start + count):
            victim.push(authorization=f"bearer {number}.{random.randrange(1 << 60)}.x")
        return (victim.processor_seconds() - before) / count * 1e6

    count = max(100, int(1000 * scale))
    first = cost(count, 0)
    return f"{count} tokens on connections of their own, {first:.0f} µs each"
