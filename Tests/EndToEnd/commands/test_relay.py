"""`mock-apns relay`: pushes are passed on to another APNs, and its answers back; where they differ from ours is told."""

import contextlib
import json
import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest

import httpx

from server import EXECUTABLE, TOPIC, Relay, Server, device, until

ALICE, BOB = device(71), device(72)
UPSTREAM = {
    "devices": [{"name": "bob", "token": BOB, "topic": TOPIC, "registered": {"unregisteredAt": "2026-01-02T03:04:05Z"}}],
    "rules": [
        {"name": "odd", "when": {"payload": {"/odd": True}}, "then": {"respond": {"status": 418, "headers": {"x-odd": "yes"}, "body": "tea"}}},
        {"name": "busy", "when": {"payload": {"/busy": True}}, "then": {"reject": "TooManyRequests", "retryAfter": 9}},
        {"name": "lost", "when": {"payload": {"/lost": True}}, "then": {"resetStream": "INTERNAL_ERROR"}},
        {"name": "end", "when": {"payload": {"/end": True}}, "then": {"goAway": {"reason": "Shutdown", "then": "close"}}},
        {"name": "cut", "when": {"payload": {"/cut": True}}, "then": {"close": "truncate"}}],
}


class Provider:
    """One connection, and the answers on it."""

    def __init__(self, server):
        self.server = server
        self.client = httpx.Client(http2=True, verify=server.tls(), timeout=60)
        self.fields = {"authorization": f"bearer {server.token()}"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.close()

    def push(self, token=ALICE, payload=None, **fields):
        named = {"apns-topic": TOPIC} | {f"apns-{name.replace('_', '-')}": value for name, value in fields.items()}
        body = json.dumps(payload or {"aps": {"alert": "Hello"}})
        return self.client.post(f"{self.server.url}/3/device/{token}", content=body, headers=self.fields | named)

    def stream_limit(self):
        """What the server allows."""
        (connection,) = self.client._transport._pool.connections
        return connection._connection._h2_state.remote_settings.max_concurrent_streams


@contextlib.contextmanager
def nghttpd(folder, certs):
    """nghttpd with the files of a folder; its port, which it cannot choose itself."""
    while True:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        command = ["nghttpd", "-a", "127.0.0.1", "-d", folder, str(port), certs / "server.key", certs / "server.pem"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                until(lambda: process.poll() is not None or listens(port), lambda: "nghttpd does not listen")
                if process.poll() is None:
                    yield port
                    return
            finally:
                process.kill()


def listens(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


class PassedOn(unittest.TestCase):
    def setUp(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        scenario = folder / "upstream.json"
        scenario.write_text(json.dumps(UPSTREAM))
        # Both have one identity, so that the provider's token is one that the upstream knows.
        self.upstream = self.enterContext(Server("--scenario", str(scenario)))
        self.log = folder / "relay.jsonl"

    def relay(self, *options):
        return self.enterContext(Relay(self.upstream, "--log", str(self.log), *options))

    def test_answers_come_back_as_they_are(self):
        relay = self.relay()
        with Provider(relay) as provider:
            answer = provider.push(push_type="alert", collapse_id="score", id="6C14D775-64F1-3B19-4D59-AE429E0294AA")
            self.assertEqual((answer.status_code, answer.headers["apns-id"]), (200, "6C14D775-64F1-3B19-4D59-AE429E0294AA"))
            direct = self.upstream.get("/api/v1/requests")["requests"][0]
            self.assertEqual((direct["collapseID"], direct["topic"], direct["payload"]), ("score", TOPIC, {"aps": {"alert": "Hello"}}))
            self.assertEqual(direct["authentication"]["verdict"], "valid")
            self.assertEqual(answer.headers["apns-unique-id"].upper(), direct["uniqueID"].upper())

            odd = provider.push(payload={"aps": {}, "odd": True})
            self.assertEqual((odd.status_code, odd.headers["x-odd"], odd.text), (418, "yes", "tea"))
            busy = provider.push(payload={"aps": {}, "busy": True})
            self.assertEqual((busy.status_code, busy.json(), busy.headers["retry-after"]), (429, {"reason": "TooManyRequests"}, "9"))
            gone = provider.push(BOB)
            self.assertEqual((gone.status_code, gone.json()), (410, {"reason": "Unregistered", "timestamp": 1767323045000}))
            with self.assertRaises(httpx.RemoteProtocolError) as raised:
                provider.push(payload={"aps": {}, "lost": True})
            self.assertIn("2", str(raised.exception))
            wrong = provider.push(priority="7")
            self.assertEqual((wrong.status_code, wrong.json()["reason"]), (400, "BadPriority"))
            large = provider.push(payload={"aps": {"alert": "x" * 5000}})
            self.assertEqual((large.status_code, large.json()["reason"]), (413, "PayloadTooLarge"))

        records = relay.get("/api/v1/requests")["requests"]
        self.assertEqual([record["decidedBy"] for record in records], ["upstream"] * 7)
        self.assertEqual([record["agrees"] for record in records], [True, False, False, False, False, True, True])
        self.assertEqual([(record["relayed"]["status"], record["relayed"]["reason"]) for record in records], [
            (200, None), (418, None), (429, "TooManyRequests"), (410, "Unregistered"), (None, "INTERNAL_ERROR"), (400, "BadPriority"),
            (413, "PayloadTooLarge")])
        self.assertEqual(records[0]["own"], {"status": 200, "reason": None})
        self.assertIn(["retry-after", "9"], records[2]["relayed"]["headers"])
        self.assertIn("mock-apns would have answered 200", records[3]["explanation"])
        found = relay.get("/api/v1/differences")
        self.assertEqual((found["relayed"], found["agreed"], found["unanswered"]), (7, 3, 0))
        self.assertEqual([(group["theirs"]["status"], group["count"], group["example"]) for group in found["differences"]],
                         [(418, 1, 2), (429, 1, 3), (410, 1, 4), (None, 1, 5)])
        self.assertEqual(relay.get("/api/v1/summary")["relay"], found)
        secret = relay.token().rpartition(".")[2]
        self.assertNotIn(secret, self.log.read_text())
        lines = [json.loads(line) for line in self.log.read_text().splitlines()]
        self.assertEqual([line["own"] for line in lines if line["event"] == "request"], [record["own"] for record in records])

    def test_rules_come_first(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"rules": [{"name": "first", "times": 1, "then": {"reject": "Shutdown"}}]}, file)
            file.flush()
            relay = self.relay("--scenario", file.name)
            with Provider(relay) as provider:
                self.assertEqual([provider.push().status_code for _ in range(3)], [503, 200, 200])
        self.assertEqual(self.upstream.get("/api/v1/requests")["total"], 2)
        records = relay.get("/api/v1/requests")["requests"]
        self.assertEqual([record["decidedBy"] for record in records], ["rule:first", "upstream", "upstream"])
        self.assertNotIn("relayed", records[0])

    def test_a_rule_that_only_passes_lets_the_upstream_decide(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"rules": [{"then": [{"reject": "Shutdown"}, {"pass": True, "delay": "1ms"}, {"pass": True}]}]}, file)
            file.flush()
            relay = self.relay("--scenario", file.name)
            with Provider(relay) as provider:
                self.assertEqual([provider.push(BOB).status_code for _ in range(4)], [503, 200, 410, 410])
        self.assertEqual(self.upstream.get("/api/v1/requests")["total"], 2)

    def test_goaway_and_the_end_of_the_connection_come_back(self):
        relay = self.relay()
        with Provider(relay) as provider:
            self.assertEqual(provider.push().status_code, 200)
            self.assertEqual(provider.push(payload={"aps": {}, "end": True}).status_code, 200)
            # Over another connection.
            self.assertEqual(provider.push().status_code, 200)
        connections = relay.get("/api/v1/connections")["connections"]
        self.assertEqual([connection["goAwaysSent"] for connection in connections], [1, 0])
        self.assertEqual(len(self.upstream.get("/api/v1/connections")["connections"]), 2)

    def test_an_upstream_that_breaks_off(self):
        relay = self.relay()
        with Provider(relay) as provider:
            provider.push()
            lost = provider.push(payload={"aps": {}, "cut": True})
            self.assertEqual((lost.status_code, lost.json()), (503, {"reason": "ServiceUnavailable"}))
        with Provider(relay) as provider:
            self.assertEqual(provider.push().status_code, 200)
        self.assertEqual(self.upstream.get("/api/v1/requests")["total"], 3, "nothing is sent twice")
        record = relay.get("/api/v1/requests")["requests"][1]
        self.assertIn("closed the connection before it answered", record["explanation"])
        self.assertEqual(relay.get("/api/v1/differences")["unanswered"], 1)

    def test_no_upstream(self):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            address = f"https://127.0.0.1:{closed.getsockname()[1]}"
            relay = self.enterContext(Relay(address))
            with Provider(relay) as provider:
                for _ in range(2):
                    answer = provider.push()
                    self.assertEqual((answer.status_code, answer.json()["reason"]), (503, "ServiceUnavailable"))
        self.assertIn("cannot be reached", relay.get("/api/v1/requests")["requests"][1]["explanation"])
        self.assertEqual(len(relay.get("/api/v1/connections")["connections"]), 1, "its connection stays")

    def test_an_upstream_that_is_no_apns(self):
        """One that speaks TLS, and then something else."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.upstream.certs / "server.pem", self.upstream.certs / "server.key")
        context.set_alpn_protocols(["h2"])
        with socket.create_server(("127.0.0.1", 0)) as listener:
            def answer():
                with contextlib.suppress(OSError), context.wrap_socket(listener.accept()[0], server_side=True) as connection:
                    connection.recv(1 << 16)
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                    while connection.recv(1 << 16):
                        pass
            thread = threading.Thread(target=answer, daemon=True)
            thread.start()
            relay = Relay(f"https://127.0.0.1:{listener.getsockname()[1]}")
            relay.command += ["--upstream-ca", str(self.upstream.certs / "ca.pem")]
            with relay, Provider(relay) as provider:
                self.assertEqual(provider.push().status_code, 503)
                self.assertIn("broke HTTP/2", relay.get("/api/v1/requests")["requests"][0]["explanation"])

    def test_nghttpd_as_the_upstream(self):
        """It is no APNs, but serves files: an acceptance comes back with the file, another page as the answer that it is."""
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "3" / "device").mkdir(parents=True)
        (folder / "3" / "device" / ALICE).write_bytes(bytes(range(256)))
        with nghttpd(folder, self.upstream.certs) as port:
            relay = Relay(f"https://127.0.0.1:{port}", "--upstream-ca", str(self.upstream.certs / "ca.pem"))
            with relay, Provider(relay) as provider:
                first, second = provider.push(), provider.push(BOB)
                self.assertEqual((first.status_code, first.content), (200, bytes(range(256))))
                self.assertEqual((second.status_code, second.headers["content-type"]), (404, "text/html; charset=UTF-8"))
                self.assertIn(b"404", second.content)
                for answer in (first, second):
                    self.assertTrue(answer.headers["server"].startswith("nghttpd"))
                self.assertEqual(provider.stream_limit(), 100)
                records = relay.get("/api/v1/requests")["requests"]
                self.assertEqual([record["agrees"] for record in records], [True, False])
                self.assertEqual([group["theirs"]["status"] for group in relay.get("/api/v1/differences")["differences"]], [404])

    def test_an_upstream_that_is_not_trusted(self):
        relay = self.enterContext(Relay(self.upstream.url))
        with Provider(relay) as provider:
            self.assertEqual(provider.push().status_code, 503)
        self.assertIn("--upstream-ca", relay.get("/api/v1/requests")["requests"][0]["explanation"])

    def test_client_certificates_need_one_for_the_upstream(self):
        def push(relay):
            done = subprocess.run(
                ["curl", "-s", "--http2", "--cacert", relay.certs / "ca.pem", "--cert", relay.certs / "client.pem", "--key", relay.certs / "client.key",
                 "-H", f"apns-topic: {TOPIC}", "-d", '{"aps":{"alert":"x"}}', "-w", "%{http_code}", f"{relay.url}/3/device/{ALICE}"],
                capture_output=True, text=True, check=True)
            return done.stdout
        with Relay(self.upstream) as relay:
            self.assertEqual(push(relay), '{"reason":"Forbidden"}403')
            self.assertIn("--upstream-certificate", relay.get("/api/v1/requests")["requests"][0]["explanation"])
        certs = self.upstream.certs
        with Relay(self.upstream, "--upstream-certificate", str(certs / "client.pem"), "--upstream-key", str(certs / "client.key")) as relay:
            self.assertEqual(push(relay), "200")

    def test_a_payload_that_is_too_long_to_be_passed_on(self):
        relay = self.relay()
        with Provider(relay) as provider:
            for size, status in ((65_536, 413), (65_537, 413), (200_000, 413)):
                answer = provider.push(payload={"aps": {}, "x": "y" * (size - len('{"aps": {}, "x": ""}'))})
                self.assertEqual((answer.status_code, answer.json()["reason"]), (status, "PayloadTooLarge"))
        passed, *kept = relay.get("/api/v1/requests")["requests"]
        self.assertEqual(passed["decidedBy"], "upstream")
        for record in kept:
            self.assertIn("is too long to be passed on", record["explanation"])
        self.assertEqual(self.upstream.get("/api/v1/requests")["total"], 1)

    def test_the_stream_limit_comes_back(self):
        relay = self.relay()
        with Provider(relay) as provider:
            for _ in range(3):
                provider.push()
        # At first one stream, as APNs; more when a provider token was good.
        self.assertEqual([server.get("/api/v1/connections")["connections"][0]["settingsSent"] for server in (relay, self.upstream)], [2, 2])

    def test_thousands_at_once(self):
        relay = self.relay()
        body = self.log.with_name("body.json")
        body.write_text('{"aps":{"alert":"x"}}')
        done = subprocess.run(
            ["h2load", "-n", "3000", "-c", "3", "-m", "50", "-d", str(body), "-H", f"authorization: bearer {relay.token()}",
             "-H", f"apns-topic: {TOPIC}", f"{relay.url}/3/device/{ALICE}"], capture_output=True, text=True, check=True)
        records, theirs = relay.get("/api/v1/summary"), self.upstream.get("/api/v1/summary")
        self.assertEqual(records["requests"], 3000, done.stdout)
        # Streams that a client opened before it knew of the limit are refused, here or there.
        answered = records["byStatus"].get("200", 0)
        self.assertEqual(theirs["byStatus"].get("200", 0), answered)
        self.assertEqual(records["relay"]["unanswered"], 0)

    def test_a_client_that_leaves(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"rules": [{"then": {"stall": True}}]}, file)
            file.flush()
            with Server("--scenario", file.name) as upstream, Relay(upstream) as relay, Provider(relay) as provider:
                provider.client.timeout = 1
                with self.assertRaises(httpx.TimeoutException):
                    provider.push()
                provider.client.close()
                self.assertEqual(relay.post("/api/v1/requests/wait", {"requests": {"outcome": "cancelled"}, "timeout": "20s"})["total"], 1)
                self.assertEqual(upstream.post("/api/v1/requests/wait", {"requests": {"outcome": "stalled"}, "timeout": "20s"})["total"], 1)
                self.assertEqual(relay.get("/api/v1/differences")["unanswered"], 1, "what the upstream would have said is not known")

    def test_the_time_to_wait_is_in_the_record(self):
        relay = self.relay()
        with Provider(relay) as provider:
            self.assertEqual(provider.push(payload={"busy": True}).headers["retry-after"], "9")
            self.assertEqual(relay.get("/api/v1/requests")["requests"][0]["retryAfter"], 9)

    def test_tokens_of_other_keys_are_the_upstreams_to_verify(self):
        relay = self.relay()
        with tempfile.TemporaryDirectory() as folder, Provider(relay) as provider:
            subprocess.run([EXECUTABLE, "certs", "--certs", folder], capture_output=True, check=True)
            token = subprocess.run([EXECUTABLE, "token", "--certs", folder], capture_output=True, text=True, check=True).stdout.strip()
            provider.fields = {"authorization": f"bearer {token}"}
            self.assertEqual(provider.push().json(), {"reason": "InvalidProviderToken"})
            self.assertEqual(relay.get("/api/v1/requests")["requests"][0]["own"], {"status": 200, "reason": None})

    def test_a_relay_to_itself_does_not_start(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        done = subprocess.run(
            [EXECUTABLE, "relay", "--certs", str(self.upstream.certs), "--port", port, "--upstream", f"https://localhost:{port}"], capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 65, done.stderr)
        self.assertIn("is this server itself", done.stderr)

    def test_nothing_to_compare_is_no_agreement(self):
        certs = ("--certs", str(self.upstream.certs))

        def run(*words):
            done = subprocess.run([EXECUTABLE, *words], capture_output=True, text=True, check=False, timeout=60)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("No push was passed on to an upstream", done.stderr)
        run("exec", *certs, "--relay", self.upstream.url, "--fail-on-difference", "--", "true")
        run("exec", *certs, "--quiet", "--relay", self.upstream.url, "--fail-on-difference", "--", "true")
        run("verify", "--admin", self.upstream.admin, "--fail-on-difference")
        with Server("--log", str(self.log)) as server, Provider(server) as provider:
            provider.push()
        run("verify", "--log", str(self.log), "--fail-on-difference")

    def test_exec_fails_on_a_difference(self):
        push = (
            "import os, httpx, ssl, subprocess, sys; e = os.environ; t = subprocess.run([sys.argv[1], 'token', '--key', e['MOCK_APNS_KEY'], '--key-id', e['MOCK_APNS_KEY_ID'],"
            " '--team-id', e['MOCK_APNS_TEAM_ID']], capture_output=True, text=True, check=True).stdout.strip();"
            " c = httpx.Client(http2=True, verify=ssl.create_default_context(cafile=e['MOCK_APNS_CA']));"
            " print(c.post(e['MOCK_APNS_URL'] + '/3/device/' + sys.argv[2], content='{\"aps\":{}}', headers={'apns-topic': 'com.example.app', 'authorization': 'bearer ' + t}).status_code)")
        for token, options, code in ((ALICE, ["--fail-on-difference"], 0), (BOB, ["--fail-on-difference"], 1), (BOB, ["--quiet", "--fail-on-difference"], 1), (BOB, [], 0)):
            with self.subTest(token=token, options=options):
                done = subprocess.run(
                    [EXECUTABLE, "exec", "--certs", str(self.upstream.certs), "--relay", self.upstream.url, "--upstream-ca",
                     str(self.upstream.certs / "ca.pem"), *options, "--", sys.executable, "-c", push, EXECUTABLE, token],
                    capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, code, done.stderr)
                if token == BOB:
                    self.assertIn("410 Unregistered where mock-apns answers 200: 1 push, the first is push 1", done.stderr)

    def test_a_reset_loses_no_difference(self):
        script = (
            "import os, httpx, ssl, subprocess, sys; e = os.environ; t = subprocess.run([sys.argv[1], 'token', '--certs', e['MOCK_APNS_CERTS']],"
            " capture_output=True, text=True, check=True).stdout.strip();"
            " c = httpx.Client(http2=True, verify=ssl.create_default_context(cafile=e['MOCK_APNS_CA']));"
            " c.post(e['MOCK_APNS_URL'] + '/3/device/' + sys.argv[2], content='{\"aps\":{}}', headers={'apns-topic': 'com.example.app', 'authorization': 'bearer ' + t});"
            " httpx.post(e['MOCK_APNS_ADMIN_URL'] + '/api/v1/reset', json={}).raise_for_status()")
        done = subprocess.run(
            [EXECUTABLE, "exec", "--certs", str(self.upstream.certs), "--relay", self.upstream.url, "--upstream-ca",
             str(self.upstream.certs / "ca.pem"), "--fail-on-difference", "--", sys.executable, "-c", script, EXECUTABLE, BOB],
            capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("410 Unregistered where mock-apns answers 200", done.stderr)

    def test_an_upstream_that_answered_nothing_fails_the_log_too(self):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            relay = Relay(f"https://127.0.0.1:{closed.getsockname()[1]}", "--log", str(self.log))
            with relay, Provider(relay) as provider:
                self.assertEqual(provider.push().status_code, 503)
        done = subprocess.run([EXECUTABLE, "verify", "--log", str(self.log), "--fail-on-difference"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("did not answer 1 push", done.stderr)

    def test_providers_that_leave_at_once_leave_no_connection(self):
        relay = self.relay()
        for _ in range(20):
            with Provider(relay) as provider:
                provider.client.timeout = 0.05
                with contextlib.suppress(httpx.TimeoutException):
                    provider.push()
        until(lambda: all(each["closedAt"] for each in self.upstream.get("/api/v1/connections")["connections"]),
              lambda: "a connection to the upstream stays open")

    def test_a_scenario_of_a_relayed_run_gives_the_upstreams_answers(self):
        pushes = [(ALICE, {}), (BOB, {}), (ALICE, {"busy": True}), (ALICE, {"new": True}), (ALICE, {}), (BOB, {})]
        self.upstream.post("/api/v1/rules", {"name": "new", "when": {"payload": {"/new": True}}, "then": {"respond": {"status": 400, "body": '{"reason":"SomethingNew"}'}}})

        def answers(server):
            with Provider(server) as provider:
                for token, more in pushes:
                    answer = provider.push(token, {"aps": {"alert": "x"}, **more})
                    yield answer.status_code, answer.json().get("reason") if answer.content else None, answer.headers.get("retry-after")

        with Relay(self.upstream, "--log", str(self.log)) as relay:
            theirs = list(answers(relay))
        self.assertEqual(theirs[2:4], [(429, "TooManyRequests", "9"), (400, "SomethingNew", None)])
        made = self.log.with_name("made.json")
        subprocess.run([EXECUTABLE, "scenario", "--from-log", str(self.log), "-o", str(made)], check=True, capture_output=True)
        with Server("--scenario", str(made)) as server:
            self.assertEqual(list(answers(server)), theirs)

    def test_verify_tells_the_differences_of_a_log_and_of_a_relay(self):
        told = "410 Unregistered where mock-apns answers 200: 2 pushes, the first is push 2"
        scenario = self.log.with_name("expect.json")
        scenario.write_text('{"expect": [{"requests": {}, "count": 3}]}')
        report = self.log.with_name("report.md")

        def verify(*words):
            done = subprocess.run([EXECUTABLE, "verify", *map(str, words)], capture_output=True, text=True, check=False, timeout=60)
            return done.returncode, done.stderr

        with Relay(self.upstream, "--log", str(self.log)) as relay:
            with Provider(relay) as provider:
                for token in (ALICE, BOB, BOB):
                    provider.push(token)
            self.assertEqual(verify("--admin", relay.admin)[0], 0)
            code, said = verify("--admin", relay.admin, "--fail-on-difference")
            self.assertEqual(code, 1)
            self.assertIn(told, said)
        code, said = verify("--log", self.log, scenario)
        self.assertEqual(code, 0, said)
        self.assertIn(told, said)
        code, said = verify("--log", self.log, "--fail-on-difference", "--report", report)
        self.assertEqual(code, 1)
        self.assertIn(told, said)
        self.assertIn("410 Unregistered", report.read_text())
        # A log without a difference; that of no relay has nothing to compare.
        agreed = self.log.with_name("agreed.jsonl")
        with Relay(self.upstream, "--log", str(agreed)) as relay, Provider(relay) as provider:
            provider.push()
        code, said = verify("--log", agreed, "--fail-on-difference")
        self.assertEqual(code, 0, said)
        self.assertIn("answered 1 of 1 push as mock-apns would have answered", said)
        with Server("--log", str(self.log.with_name("plain.jsonl"))) as server, Provider(server) as provider:
            provider.push()
        code, said = verify("--log", self.log.with_name("plain.jsonl"), "--fail-on-difference")
        self.assertEqual(code, 1, said)
        self.assertIn("No push was passed on", said)
        self.assertEqual(verify("--log", agreed)[0], 64)
        self.assertEqual(verify("--fleet", "redis://127.0.0.1", "--fail-on-difference", scenario)[0], 64)

    def test_what_is_no_upstream(self):
        for upstream in ("api.push.apple.com", "http://127.0.0.1", "https://", "https://a b", "https://host:0", "https://host/path"):
            done = subprocess.run([EXECUTABLE, "relay", "--certs", str(self.upstream.certs), "--port", "0", "--admin-port", "0", "--upstream", upstream],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 65, upstream)
            self.assertIn("expected https://HOST", done.stderr)
        done = subprocess.run([EXECUTABLE, "exec", "--fail-on-difference", "--", "true"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 64)


if __name__ == "__main__":
    unittest.main()
