"""The admin API: scenarios and requests that are wrong, too large, too many, or from a web page."""

import copy
import json
import os
import pathlib
import re
import resource
import selectors
import subprocess
import sys
import tempfile
import time

from server import ROOT
from victim import MB, Failure, Skip, attack, demand

VALUES = [None, True, 0, 1, -1, 0.5, 1e300, "", "x", "5s", "now", "alert", "push", "9" * 400, [], {}, [[]], {"exists": True},
          {"atLeast": 3, "atMost": 1}, {"matches": "(a+)+"}, {"oneOf": []}, "TooManyRequests", {"not": {"not": {}}},
          "9999999999d", 2**63, -(2**63), "../../etc/passwd", "\u0000", "\U0001F600" * 50]


def mutated(value, random):
    """The value with one change somewhere."""
    if isinstance(value, dict) and value and random.random() < 0.85:
        key = random.choice(list(value))
        kind = random.randrange(8)
        if kind == 0:
            value[key[:-1] + random.choice("xyz")] = value.pop(key)
        elif kind == 1:
            del value[key]
        elif kind == 2:
            value[key] = random.choice(VALUES)
        else:
            value[key] = mutated(value[key], random)
        return value
    if isinstance(value, list) and value and random.random() < 0.85:
        index = random.randrange(len(value))
        if random.random() < 0.2:
            return value + [value[index]] * random.randrange(1, 4)
        value[index] = mutated(value[index], random)
        return value
    return copy.deepcopy(random.choice(VALUES))


@attack("scenario-fuzz", memory=24, seconds=90)
def scenario_fuzz(victim, random, scale):
    """Mutated scenarios are played, or refused with a reason; pushes go on."""
    files = [json.loads(path.read_text()) for path in sorted((ROOT / "scenarios").glob("*.json"))
             if path.name != "scenario.schema.json"]
    statuses, slowest = {}, 0.0
    for number in range(int(3000 * scale)):
        scenario = copy.deepcopy(random.choice(files))
        for _ in range(random.choice([1, 1, 1, 2, 3])):
            scenario = mutated(scenario, random)
        body = json.dumps(scenario).encode()
        if random.random() < 0.2:
            body = bytearray(body)
            for _ in range(random.randrange(1, 4)):
                body[random.randrange(len(body))] = random.randrange(256)
            body = bytes(body)
        began = time.monotonic()
        status, answer = victim.call("PUT", "/api/v1/scenario", body)
        slowest = max(slowest, time.monotonic() - began)
        statuses[status] = statuses.get(status, 0) + 1
        demand(status in (200, 400, 422), f"answered {status} {answer[:200]!r} to {body[:300]!r}")
        if status != 200:
            error = json.loads(answer)["error"]
            demand(error["code"] and error["message"], f"refused without a reason: {answer[:200]!r}")
        if number % 50 == 0:
            victim.call("PUT", "/api/v1/scenario", {})
            demand(victim.push()[0] == 200, "a good push is refused")
    demand(slowest < 1, f"one took {slowest:.1f} s")
    return f"{sum(statuses.values())} scenarios: {statuses}, slowest {slowest * 1000:.0f} ms"


@attack("schemathesis", memory=32, seconds=150)
def schemathesis(victim, random, scale):
    """All operations of the OpenAPI document but those that wait, by schemathesis."""
    tool = pathlib.Path(sys.executable).with_name("st")
    if not tool.exists():
        raise Skip("schemathesis is not installed")
    with tempfile.TemporaryDirectory(prefix="mock-apns-st-") as folder:
        command = [
            str(tool), "run", f"{victim.admin}/api/v1/openapi.json", "--url", victim.admin,
            "--seed", str(random.randrange(1 << 31)), "--phases", "examples,coverage,fuzzing", "--no-shrink",
            "--max-time", str(max(10, int(90 * scale))), "--max-examples", str(max(10, int(80 * scale))),
            "--request-timeout", "10", "--max-response-time", "3", "--continue-on-failure", "--suppress-health-check", "all",
            "--checks", "not_a_server_error,content_type_conformance,response_schema_conformance,status_code_conformance",
            "--exclude-path", "/api/v1/events", "--exclude-path", "/api/v1/requests/wait",
        ]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=200,
                              env={**os.environ, "NO_COLOR": "1", "COLUMNS": "200"})
        pathlib.Path(os.environ.get("ABUSE_SCHEMATHESIS", os.devnull)).write_text(done.stdout + done.stderr)
    # Sessions that it has opened would last for an hour.
    for session in victim.get("/api/v1/sessions")["sessions"]:
        victim.call("DELETE", f"/api/v1/sessions/{session['name']}")
    generated = re.search(r"([\d,]+) generated", done.stdout)
    summary = "; ".join(line.strip() for line in done.stdout.splitlines() if re.match(r"\s+(❌|- )", line))
    if done.returncode:
        raise Failure(f"exit code {done.returncode}: {summary[:600] or (done.stdout + done.stderr)[-600:]}")
    return f"{generated.group(1) if generated else '?'} calls without a finding"


def raw_calls(victim, requests, timeout=5):
    """Sends each request on a connection of its own, reads up to the end, and closes; returns the answers."""
    answers = []
    for request in requests:
        with victim.admin_socket(timeout) as raw:
            answer = b""
            try:
                raw.sendall(request)
                while data := raw.recv(65536):
                    answer += data
            except (ConnectionError, TimeoutError):
                pass
        answers.append(answer)
    return answers


@attack("leaks", seconds=90)
def leaks(victim, random, scale):
    """Large bodies that are not wanted: the descriptors come back."""
    count = max(20, int(100 * scale))
    large = b"x" * 3_000_000
    head = b"%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n%s\r\n"
    calls = {
        "an unknown path": head % (b"POST", b"/nothing", len(large), b"Connection: close\r\n") + large,
        "an unknown path, keep-alive": head % (b"POST", b"/nothing", len(large), b"") + large,
        "a parse error": b"\x00\x01 nonsense\r\n\r\n" + b"y" * 900_000,
        "a body too large": head % (b"POST", b"/api/v1/rules", len(large), b"Connection: close\r\n") + large,
        "a GET with a body": head % (b"GET", b"/readyz", len(large), b"Connection: close\r\n") + large,
    }
    for what, request in calls.items():
        before = victim.descriptors()
        raw_calls(victim, [request] * (count // 5), timeout=2)
        deadline = time.monotonic() + 10
        while victim.descriptors() > before + 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        demand(victim.descriptors() <= before + 2,
               f"{victim.descriptors() - before} descriptors are left open by {count // 5} calls with {what}")
    return f"{count // 5 * len(calls)} calls"


@attack("http-fuzz", seconds=60)
def http_fuzz(victim, random, scale):
    """Requests of HTTP/1.1 that are no requests."""
    good = [
        b"GET /api/v1/summary HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b'POST /api/v1/requests/count HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
        b"POST /api/v1/rules HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":\r\n3\r\n1}\n\r\n0\r\n\r\n",
        b"GET /api/v1/requests?status=200&limit=5 HTTP/1.0\r\n\r\n",
    ]
    broken = 0
    for number in range(int(1500 * scale)):
        request = bytearray(random.choice(good))
        for _ in range(random.randrange(1, 5)):
            place = random.randrange(len(request))
            kind = random.randrange(4)
            if kind == 0:
                request[place] = random.randrange(256)
            elif kind == 1:
                request[place:place] = random.choice([b"\r\n", b"\0", b"A" * 9000, b": ", b"%00", b"Content-Length: 5\r\n"])
            elif kind == 2:
                del request[place : place + random.randrange(1, 9)]
            else:
                request += bytes(request)
        answer = raw_calls(victim, [bytes(request)], timeout=0.3)[0]
        for status in re.findall(rb"^HTTP/1\.\d (\d+)", answer, re.MULTILINE):
            demand(int(status) < 500, f"answered {status.decode()} to {bytes(request)!r}")
        broken += b" 400 " in answer[:20]
    answer = raw_calls(victim, [b"nonsense\r\n\r\n"])[0]
    demand(b'"error"' in answer, f"a parse error is answered without a reason: {answer[:120]!r}")
    return f"{int(1500 * scale)} requests, {broken} answered 400"


@attack("too-much", memory=64, seconds=60)
def too_much(victim, random, scale):
    """A mistake per element of a list of 64 MB, key files without an end, nesting; none takes long."""
    with tempfile.TemporaryDirectory(prefix="mock-apns-keys-") as folder:
        sparse, fifo = pathlib.Path(folder) / "sparse.p8", pathlib.Path(folder) / "fifo.p8"
        with open(sparse, "wb") as file:
            file.truncate(2_000_000_000)
        os.mkfifo(fifo)

        def key(path):
            team = {"teamID": "DEF123GHIJ", "keys": [{"keyID": "ABC123DEFG", "file": str(path)}]}
            return json.dumps({"authentication": {"teams": [team]}}).encode()

        ones = b'{"rules":[' + b"1," * 31_000_000 + b"1]}"
        devices = b'{"devices":[' + b"{}," * 20_000_000 + b"{}]}"
        calls = {
            "a file without an end": key("/dev/zero"), "a file of 2 GB": key(sparse), "a FIFO": key(fifo),
            "a folder": key(folder), "a terminal": key("/dev/tty"), "nesting": b"[" * 1_000_000,
            "62 MB of wrong rules": ones, "60 MB of wrong devices": devices,
        }
        told, before = [], victim.resident()
        for what, body in calls.items():
            began = time.monotonic()
            try:
                status, answer = victim.call("PUT", "/api/v1/scenario", body, timeout=20)
            except OSError as error:
                raise Failure(f"{what}: not answered within 20 s: {error!r}") from error
            seconds = time.monotonic() - began
            demand(400 <= status < 500, f"{what}: {status} {answer[:100]!r}")
            demand(len(answer) < MB, f"{what}: an answer of {len(answer)} bytes")
            demand(seconds < 6, f"{what}: {seconds:.1f} s")
            grown = (victim.resident() - before) / MB
            demand(grown < 900, f"{what}: {grown:.0f} MB more")
            told.append(f"{what} {seconds:.1f} s")
    return ", ".join(told)


@attack("sigterm-in-scenario", ends=True)
def sigterm_in_scenario(victim, random, scale):
    """SIGTERM while the server reads a scenario of 64 MB."""
    with victim.admin_socket(20) as raw:
        body = b'{"rules":[' + b"1," * 31_000_000 + b"1]}"
        raw.sendall(b"PUT /api/v1/scenario HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        time.sleep(0.3)
        return victim.end()


@attack("waits", memory=48, seconds=500)
def waits(victim, random, scale):
    """Thousands who wait for what never comes cost pushes little, and nothing once they have gone."""
    count, pushes = max(300, int(3000 * scale)), 20_000
    body = b'{"requests": {"collapseID": "never", "status": 500}, "timeout": "10m"}'
    call = b"POST /api/v1/requests/wait HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)

    def cost():
        before = victim.processor_seconds()
        victim.push_many(pushes)
        return (victim.processor_seconds() - before) / pushes * 1e6

    without = min(cost(), cost())
    held = []
    try:
        for _ in range(count):
            held.append(victim.admin_socket())
            held[-1].sendall(call)
        victim.until_idle()
        waiting = min(cost(), cost())
    finally:
        for raw in held:
            raw.close()
    victim.until_idle()
    after = min(cost(), cost())
    # 1.3 on a quiet machine.
    demand(waiting < without * 1.6, f"with {count} waiting, a push costs {waiting:.0f} µs instead of {without:.0f}")
    demand(after < without * 1.6, f"when all have gone, a push costs {after:.0f} µs instead of {without:.0f}")
    return f"{count} waiting: {waiting:.1f} µs a push instead of {without:.1f}, {after:.1f} when they have gone"


@attack("waits-limit", memory=100, seconds=500)
def waits_limit(victim, random, scale):
    """More waits than there may be: those beyond 10,000 are refused, and the memory of all is given back."""
    most, more = 10_000, 100
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < most + more + 100:
        raise Skip(f"only {soft} files can be open")
    resource.prlimit(victim.process.pid, resource.RLIMIT_NOFILE, (most + more + 200, most + more + 200))
    before, refused = victim.resident(), 0
    with selectors.DefaultSelector() as selector:
        try:
            for number in range(most + more):
                header = {"requests": {"header": {"x-number": str(number)}}, "timeout": "10m"}
                token = {"requests": {"token": f"{number:064x}"}, "timeout": "10m"}
                body = json.dumps(token if number % 3 else header).encode()
                raw = victim.admin_socket(60)
                selector.register(raw, selectors.EVENT_READ)
                raw.sendall(
                    b"POST /api/v1/requests/wait HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
                    % (len(body), body))
            while refused < more:
                ready = selector.select(60)
                demand(ready, f"{refused} of {more} waits too many were refused")
                for key, _ in ready:
                    answer = key.fileobj.recv(100)
                    demand(answer.startswith(b"HTTP/1.1 503"), f"a wait was answered {answer[:40]!r}")
                    selector.unregister(key.fileobj)
                    key.fileobj.close()
                    refused += 1
            victim.until_idle()
            peak = victim.resident() - before
            status, _ = victim.push(timeout=10)
            demand(status == 200, f"a push was answered {status} while {most} wait")
        finally:
            for key in list(selector.get_map().values()):
                key.fileobj.close()
    end = time.monotonic() + 90
    while (left := victim.resident() - before) > peak / 2:
        demand(time.monotonic() < end, f"{left / MB:.0f} MB of {peak / MB:.0f} are kept when all have gone")
        time.sleep(0.5)
    return f"{refused} refused; {peak / MB:.0f} MB while {most} wait, {left / MB:.0f} when they have gone"


@attack("web-page", seconds=30)
def web_page(victim, random, scale):
    """What a page in the developer's browser can send must change and tell nothing."""
    victim.push_many(10)
    records = victim.metric("requests_total")
    foreign = {"Origin": "http://evil.example", "Content-Type": "text/plain"}
    calls = [
        ("POST", "/api/v1/reset", b"", foreign), ("POST", "/api/v1/rules", {"then": {"reject": "Shutdown"}}, foreign),
        ("DELETE", "/api/v1/requests", None, foreign), ("PUT", "/api/v1/scenario", {}, foreign),
        ("GET", "/api/v1/identity", None, {"Host": "evil.example"}),
        ("GET", "/api/v1/requests", None, {"Host": "evil.example:2198"}),
        ("POST", "/api/v1/reset", b"", {"Host": "localhost.evil.example"}),
        ("POST", "/api/v1/reset", b"", {"Origin": "null"}),
    ]
    for method, path, value, headers in calls:
        status, answer = victim.call(method, path, value, headers=headers)
        demand(400 <= status < 500, f"{method} {path} with {headers} was answered {status}")
        demand(b"PRIVATE KEY" not in answer, f"{method} {path} tells a private key")
    status, _ = victim.call("GET", "/api/v1/requests", headers={"Origin": "http://evil.example"})
    demand(victim.metric("requests_total") == records, "something was changed")
    return f"{len(calls)} calls refused"
