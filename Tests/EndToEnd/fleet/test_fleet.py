"""A fleet: servers that ship what they decide through Redis, and a collector that counts and judges as one server.

test_fleet_faults.py breaks fleets; test_fleet_topology.py runs the one of the documentation."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import threading
import time
import unittest
import urllib.request
import xml.etree.ElementTree as XML

from fleets import BOB, TOKEN, Collector, Engine, FleetCase
from server import EXECUTABLE, PATIENCE, TOPIC, Server, device, free_port, until

RULE = {"name": "no", "then": {"reject": "TooManyRequests"}}
# Where the engine has the address of the collector.
ADDRESS = "mock-apns:{default}:collector"


class Fleet(FleetCase):
    def manual(self):
        file = self.folder / "manual.json"
        file.write_text(json.dumps({"clock": {"manual": "now"}, "devices": [{"name": "alice", "token": TOKEN}]}))
        return str(file)

    # Counting and judging

    def test_the_fleet_counts_what_was_answered(self):
        scenario = self.scenario(600)
        with Engine() as engine, Collector(engine, scenario) as collector, \
                self.replica(engine, "a", "--scenario", scenario) as a, \
                self.replica(engine, "b", "--scenario", scenario) as b, \
                self.replica(engine, "c", "--scenario", scenario) as c:
            answered = sum(self.push(each, 200) for each in (a, b, c))
            self.assertEqual(answered, 600)
            verdict = collector.post("/api/v1/verify", {})
            self.assertTrue(verdict["passed"], verdict["report"])
            self.assertEqual(collector.count(status=200), 600)
            summary = collector.get("/api/v1/summary")
            self.assertEqual((summary["requests"], summary["byStatus"]), (600, {"200": 600}))
            self.assertEqual(summary["connections"]["opened"], 6)
            records = collector.get("/api/v1/requests?limit=1000")["requests"]
            self.assertEqual([each["sequence"] for each in records], list(range(1, 601)))
            for name in "abc":
                own = [each["replicaSequence"] for each in records if each["replica"] == name]
                self.assertEqual(own, list(range(1, 201)))
            self.assertEqual(len({each["apnsID"] for each in records}), 600)
            self.assertEqual(collector.get(f"/api/v1/devices/{TOKEN}")["received"], 600)
            fleet = collector.get("/api/v1/fleet")
            self.assertEqual([(each["name"], each["state"], each["received"]) for each in fleet["replicas"]],
                             [("a", "alive", 200), ("b", "alive", 200), ("c", "alive", 200)])
            self.assertIn("All 2 expectations hold.", self.verify(engine, scenario, code=0))
            self.push(b, 1)
            self.assertFalse(collector.post("/api/v1/verify", {})["passed"])
            self.verify(engine, scenario, code=1)

    def test_servers_that_have_ended_are_judged(self):
        with Engine() as engine:
            with self.replica(engine, "a") as a:
                self.push(a, 50)
                # One takes over from the other.
                with self.replica(engine, "b") as b:
                    a.process.send_signal(signal.SIGTERM)
                    a.wait(PATIENCE)
                    self.push(b, 50)
            self.assertIn("All 2 expectations hold.", self.verify(engine, self.scenario(100), code=0))
            # The next collector has everything, and says of which run.
            with Collector(engine, self.scenario(100)) as collector:
                verdict = collector.post("/api/v1/verify", {})
                self.assertTrue(verdict["passed"])
                told = "All replicas of the fleet default had ended before this collector started: this is the run that began at "
                self.assertIn(told, verdict["report"])
                until(lambda: told in collector.stderr(), lambda: f"it does not say so:\n{collector.stderr()}")
                collector.process.kill()
            with Collector(engine, self.scenario(100)) as collector:
                self.assertTrue(collector.post("/api/v1/verify", {})["passed"])

    def test_replica_logs_hold_what_killed_replicas_never_shipped(self):
        scenario = self.scenario(60)
        logs = [str(self.folder / f"{name}.jsonl") for name in "ab"]
        with Engine() as engine, self.replica(engine, "a", "--log", logs[0]) as a, \
                self.replica(engine, "b", "--log", logs[1], "--fleet-delay", "10s") as b:
            self.assertEqual(self.push(a, 30) + self.push(b, 30), 60)
            written = lambda: pathlib.Path(logs[1]).read_text().count('"event":"request"')
            until(lambda: written() == 30, lambda: written())
            b.process.kill()
            b.wait(PATIENCE)
            b.exit_code = 0
            told = self.verify(engine, scenario, code=1)
            self.assertIn("b sends no heartbeat", told)
            self.assertIn("if every replica writes a log (serve --log), verify --log judges all of them", told)
            judged = subprocess.run([EXECUTABLE, "verify", "--log", logs[0], "--log", logs[1], scenario],
                                    capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(judged.returncode, 0, judged.stderr)
            self.assertNotIn("runs", judged.stderr)

    def test_only_its_replica_knows_a_stored_pushs_fate(self):
        scenario = self.ordered()
        with Engine() as engine, Collector(engine, scenario) as collector, \
                self.replica(engine, "a", "--scenario", scenario) as a:
            with self.replica(engine, "b", "--scenario", scenario) as b:
                self.push(b, 1, to=BOB)
                self.change(collector, "/devices/bob", "PATCH", {"power": "saving"})
            # One that starts later has carried out the same changes.
            with self.replica(engine, "c", "--scenario", scenario) as c:
                self.change(collector, "/devices/alice", "PATCH", {"online": False})
                self.push(c, 1)
            verdict = collector.post("/api/v1/verify", {})
            self.assertTrue(verdict["passed"], verdict["report"])
            self.push(a, 1, topic="com.example.other")
            self.change(collector, "/devices/alice", "PATCH", {"online": True})
            report = collector.post("/api/v1/verify", {})["report"]
            self.assertIn("what became of 1 push stored by c is not known, since it has ended", report)
            problems = {each["name"]: each["problem"] for each in collector.get("/api/v1/fleet")["replicas"]}
            self.assertIn(problems.pop("c"), report)
            self.assertEqual(problems, {"a": None, "b": None})
            self.assertNotIn("stored by a", report)
            self.assertNotIn("stored by b", report)

    def test_waits_end_when_the_fleet_has_the_requests(self):
        with Engine() as engine, Collector(engine) as collector, self.replica(engine, "a") as a, \
                self.replica(engine, "b") as b:
            found = []

            def wait():
                found.append(collector.post(
                    "/api/v1/requests/wait", {"requests": {"status": 200}, "count": 20, "timeout": "120s"}))

            waiting = threading.Thread(target=wait)
            waiting.start()
            self.push(a, 10)
            self.push(b, 10)
            waiting.join(PATIENCE)
            self.assertEqual(len(found[0]["requests"]), 20)

    # Who judges

    def drop(self, engine, *replicas):
        """Removes what replicas have shipped, as the engine does with the oldest of it."""
        for name in replicas:
            self.assertEqual(engine.ask(f"DEL mock-apns:default:log:0-0:{name}"), b":1\r\n")

    def test_running_collectors_judge_what_the_engine_has_dropped(self):
        scenario = self.scenario(20)
        other = self.folder / "other.json"
        other.write_text(json.dumps({"name": "other", "expect": [{"requests": {}, "count": 19}]}))
        with Engine() as engine, Collector(engine, scenario) as collector, \
                self.replica(engine, "a", "--scenario", scenario) as a, \
                self.replica(engine, "b", "--scenario", scenario) as b:
            self.assertEqual(self.push(a, 10) + self.push(b, 10), 20)
            self.assertTrue(collector.post("/api/v1/verify", {})["passed"])
            self.drop(engine, "a", "b")
            junit, report = self.folder / "report.xml", self.folder / "report.md"
            told = self.verify(engine, scenario, "--lint", "--junit", str(junit), "--report", str(report), code=0)
            self.assertIn("All 2 expectations hold.\n", told)
            self.assertIn(" in 20 pushes.\n", told)
            suite, lint = XML.parse(junit).getroot().findall("testsuite")
            self.assertEqual((suite.get("name"), suite.get("tests"), suite.get("failures")), ("expects", "2", "0"))
            self.assertEqual(lint.get("failures"), "0")
            self.assertIn("\n### Totals\n\n```text\n20 requests, ", report.read_text())
            # A scenario that no replica plays is judged by what has come.
            self.assertIn("seen      20 requests", self.verify(engine, str(other), code=1))
            self.push(a, 1)
            self.verify(engine, scenario, code=1)
            # What is left in the engine does not say any more.
            collector.kill()
            self.assertRegex(self.verify(engine, scenario, code=1), "frames? of a (is|are) missing")

    def test_verify_reads_the_engine_if_the_collector_died(self):
        scenario = self.scenario(10)
        with Engine() as engine, self.replica(engine, "a", "--scenario", scenario) as a:
            with Collector(engine, scenario) as collector:
                self.push(a, 10)
                collector.kill()
                self.assertIn("All 2 expectations hold.", self.verify(engine, scenario, code=0))
                self.assertEqual(engine.ask(f"EXISTS {ADDRESS}"), b":0\r\n")
            # One that ends takes its address with it, so that verify does not wait for it.
            with Collector(engine, scenario):
                self.assertEqual(engine.ask(f"EXISTS {ADDRESS}"), b":1\r\n")
            self.assertEqual(engine.ask(f"EXISTS {ADDRESS}"), b":0\r\n")
            self.assertIn("All 2 expectations hold.", self.verify(engine, scenario, code=0))

    def test_only_the_collector_may_answer_at_its_address(self):
        scenario, junit = self.scenario(10), self.folder / "report.xml"
        with Engine() as engine, Server() as server, Collector(engine, None, "--fleet-name", "other") as other, \
                self.replica(engine, "a", "--scenario", scenario) as a:
            self.push(a, 10)
            for address, what in [(server.admin, "something else answers there"),
                                  (other.admin, "something else answers there"),
                                  (f"http://127.0.0.1:{free_port()}", "nothing answers there"),
                                  ("https://127.0.0.1", "that is not the address of an admin API")]:
                with self.subTest(address):
                    engine.ask(f"SET {ADDRESS} '{address} 7'")
                    told = self.verify(engine, scenario, "--junit", str(junit), code=69)
                    self.assertTrue(told.startswith(
                        f"mock-apns: The collector of the fleet default is at {address}, but {what}; "
                        "give --admin URL instead of --fleet, with an address by which this machine reaches it, or start "
                        "it with --admin-host and --admin-name"), told)
                    self.assertEqual(told.count("\n"), 1, told)
                    self.assertEqual(XML.parse(junit).getroot().get("errors"), "1")
            # It may be left behind by one that has died.
            engine.ask(f"SET {ADDRESS} '{server.admin} 7' PX 1000")
            self.assertIn("All 2 expectations hold.", self.verify(engine, scenario, code=0))

    def test_a_token_of_the_collector(self):
        scenario = self.scenario(10)
        with Engine() as engine, Collector(engine, scenario, "--admin-token", "s3cret"), \
                self.replica(engine, "a", "--scenario", scenario) as a:
            self.push(a, 10)
            for options, what in [([], "requires a token (401); give it with --admin-token or MOCK_APNS_ADMIN_TOKEN."),
                                  (["--admin-token", "other"], "refuses the token of --admin-token or MOCK_APNS_ADMIN_TOKEN (401).")]:
                told = self.verify(engine, scenario, *options, code=69, MOCK_APNS_ADMIN_TOKEN="")
                self.assertIn(what, told)
            self.verify(engine, scenario, "--admin-token", "a b", code=64)
            self.verify(engine, scenario, "--admin-token", "s3cret", code=0, MOCK_APNS_ADMIN_TOKEN="other")
            self.verify(engine, scenario, code=0, MOCK_APNS_ADMIN_TOKEN="s3cret")

    def test_collectors_say_what_is_missing_if_allowed(self):
        scenario, junit = self.scenario(10), self.folder / "report.xml"
        with Engine() as engine, Collector(engine, scenario) as collector, \
                self.replica(engine, "a", "--scenario", scenario) as a, \
                self.replica(engine, "b", "--scenario", scenario) as b:
            self.push(a, 10)
            self.assertTrue(collector.post("/api/v1/verify", {})["passed"])
            self.drop(engine, "a")
            b.process.kill()
            b.wait(PATIENCE)
            b.exit_code = 0
            self.assertIn("b sends no heartbeat", self.verify(engine, scenario, code=1))
            told = self.verify(engine, scenario, "--allow-missing", "--junit", str(junit), code=0).rstrip("\n") + "\n"
            self.assertTrue(told.startswith(
                "All 2 expectations hold.\nThe fleet is not complete: b sends no heartbeat: "), told)
            self.assertNotIn("of a ", told)
            self.assertIn("The fleet is not complete: b ", XML.parse(junit).getroot().find("testsuite/system-out").text)
            # It is as good to name the collector itself.
            done = subprocess.run([EXECUTABLE, "verify", "--admin", collector.admin, "--allow-missing"],
                                  capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual((done.returncode, done.stderr.rstrip("\n") + "\n"), (0, told))
            verdict = collector.post("/api/v1/verify?allowMissing=true", {})
            self.assertEqual([verdict["passed"], verdict["report"]], [True, told])
            self.assertEqual(verdict["remarks"], told.splitlines()[1:])
            done = subprocess.run([EXECUTABLE, "verify", "--admin", a.admin, "--allow-missing"], capture_output=True,
                                  text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, 69, done.stderr)
            self.assertIn("knows only its own share", done.stderr)

    # What a replica alone and a collector answer

    def test_a_replica_does_not_answer_for_all(self):
        with Engine() as engine, Collector(engine) as collector, self.replica(engine, "a") as a:
            self.push(a, 3)
            until(lambda: a.get("/api/v1/fleet")["collector"], lambda: "the replica knows no collector")
            match = {"requests": {}}
            for path, body in [("/requests/count", match), ("/verify", {}), ("/requests/wait", {**match, "count": 1})]:
                code, text = self.status(a, f"/api/v1{path}", "POST", body)
                self.assertEqual(code, 409, text)
                self.assertIn(collector.admin, text)
            self.assertEqual(self.status(a, "/api/v1/summary")[0], 409)
            code, text = self.status(a, "/api/v1/requests/count?scope=replica", "POST", match)
            self.assertEqual((code, json.loads(text)), (200, {"count": 3, "dropped": 0}))
            self.assertEqual(len(a.records()), 3)
            for method, path, body in [("POST", "/sessions", {}), ("DELETE", "/requests", None),
                                       ("POST", "/verify?finish=true&scope=replica", {})]:
                self.assertEqual(self.status(a, f"/api/v1{path}", method, body)[0], 409, path)
            # What all have to do alike, the collector has them do.
            for method, path, body in [("PUT", "/scenario", {}), ("PUT", "/scenario?scope=replica", {}), ("POST", "/reset", None),
                                       ("PATCH", f"/devices/{TOKEN}", {"online": False}), ("POST", "/rules", RULE),
                                       ("DELETE", "/outages", None), ("POST", "/clock/advance", {"by": "1s"}),
                                       ("POST", "/channels", {"name": "final", "topic": TOPIC}),
                                       ("POST", "/connections/all/close", "end")]:
                code, text = self.status(a, f"/api/v1{path}", method, body)
                self.assertEqual(code, 409, text)
                self.assertIn(f"make the call on its collector ({collector.admin}).", text)
            self.assertEqual(a.get("/api/v1/rules")["rules"], [])
            self.assertIn("/api/v1/clock/advance", self.status(collector, "/api/v1/verify?finish=true", "POST", {})[1])

    def test_collectors_on_all_addresses_are_announced_by_name(self):
        for options, name in [([], socket.gethostname()), (["--admin-name", "*.example.com"], socket.gethostname()),
                              (["--admin-name", "*.example.com", "--admin-name", "fleet.test"], "fleet.test")]:
            with Engine() as engine, Collector(engine, None, "--admin-host", "0.0.0.0", *options) as collector, \
                    self.replica(engine, "a") as a:
                until(lambda: a.get("/api/v1/fleet")["collector"], lambda: "the replica knows no collector")
                named = a.get("/api/v1/fleet")["collector"]
                self.assertEqual(named, f"http://{name}:{collector.admin.rsplit(':', 1)[1]}")
                # The admin port answers to that name.
                request = urllib.request.Request(f"{collector.admin}/api/v1/fleet", headers={"Host": named[7:]})
                self.assertEqual(urllib.request.urlopen(request, timeout=PATIENCE).status, 200)

    def test_a_run_that_has_ended_is_over(self):
        def start(port):
            return subprocess.run(
                [EXECUTABLE, "serve", "--fleet", engine.url, "--replica", "b", "--port", port, "--admin-port", "0",
                 "--certs", Server._certs()], capture_output=True, text=True, timeout=PATIENCE)

        with Engine() as engine, Collector(engine) as collector:
            # One that cannot listen has not begun a run.
            with socket.create_server(("127.0.0.1", 0)) as taken:
                self.assertEqual(start(str(taken.getsockname()[1])).returncode, 69)
            with self.replica(engine, "a") as a:
                self.push(a, 3)
            done = start("0")
            self.assertEqual(done.returncode, 69, done.stderr)
            self.assertRegex(done.stderr, 'The run of the fleet default that began at .*Z is over: its replica "a" has ended.')
            self.assertIn("Give a new run its own name with --fleet-name, or start this one over", done.stderr)
            self.change(collector, "/reset", "POST")
            with self.replica(engine, "b") as b:
                self.push(b, 2)
                until(lambda: collector.count() == 2, lambda: "the run does not start over")

    # Counts

    def counting(self):
        file = self.folder / "counting.json"
        file.write_text(json.dumps({
            "rules": [{"name": "busy", "when": {"topic": "com.example.busy"}, "then": {"reject": "TooManyRequests"}}],
            "expect": [
                {"requests": {"status": 200}, "count": 300}, {"requests": {}, "count": 3, "distinct": "token"},
                {"requests": {"status": 200}, "count": 100, "each": "token"}, {"requests": {"status": 429}, "count": 20},
                {"inOrder": [{"status": 429}, {"status": 429}]}, {"nothingElse": True}]}))
        return str(file)

    def push_counted(self, servers):
        tokens = [device(80 + number) for number in range(3)]
        for number, token in enumerate(tokens):
            for server in servers:
                self.assertEqual(self.push(server, 50, to=token), 50)
        for server in servers:
            self.push(server, 10, to=tokens[0], topic="com.example.busy")

    def test_the_verdict_is_about_all_replicas(self):
        scenario = self.counting()
        with Engine() as engine, Collector(engine, scenario) as collector, \
                self.replica(engine, "a", "--scenario", scenario) as a, self.replica(engine, "b", "--scenario", scenario) as b:
            self.push_counted([a, b])
            verdict = collector.post("/api/v1/verify", {})
            self.assertTrue(verdict["passed"], verdict["report"])
            self.assertIn("All 6 expectations hold.", self.verify(engine, scenario, code=0))
            summary = collector.get("/api/v1/summary")
            self.assertEqual((summary["requests"], summary["byStatus"]), (320, {"200": 300, "429": 20}))
            self.push(a, 1, to=device(80))
            self.assertFalse(collector.post("/api/v1/verify", {})["passed"])

    def test_a_collector_does_what_no_replica_can(self):
        with Engine() as engine, Collector(engine) as collector:
            self.assertEqual(self.status(collector, "/api/v1/pushes", "POST", {})[0], 409)
            self.assertEqual(self.status(collector, "/api/v1/requests", "DELETE")[0], 409)
            code, text = self.status(collector, "/api/v1/rules", "POST", RULE)
            self.assertEqual(code, 503, text)
            self.assertIn("no replica is running; replicas that join later will carry it out, so do not repeat the call", text)
            self.assertEqual(self.status(collector, "/readyz")[0], 200)
            self.assertEqual(self.status(collector, "/ui/")[0], 200)
            self.assertEqual(self.status(collector, "/api/v1/identity")[0], 200)
            self.assertIn("no replica has joined", collector.post("/api/v1/verify", {})["report"])
            with self.replica(engine, "a") as a:
                self.assertEqual(len(a.get("/api/v1/rules")["rules"]), 1)

    # Control

    def test_answered_changes_have_reached_every_replica(self):
        with Engine() as engine, Collector(engine, self.manual()) as collector, \
                contextlib.ExitStack() as stack:
            replicas = [stack.enter_context(self.replica(engine, name, "--scenario", self.manual())) for name in "abc"]
            for each in replicas:
                self.push(each, 1)
            shown = self.change(collector, "/devices/alice", "PATCH", {"online": False})
            self.assertIs(shown["online"], False)
            for each in replicas:
                self.assertIs(each.get("/api/v1/devices/alice")["online"], False)
                answer = self.status(each, "/api/v1/pushes?scope=replica", "POST", {"device": "alice", "topic": TOPIC, "payload": {"aps": {"alert": "x"}}})
                self.assertEqual(json.loads(answer[1])["delivery"], "Stored - Device Offline", answer[1])
            self.change(collector, "/devices/alice", "PATCH", {"online": True})
            # Rules
            self.assertEqual(self.change(collector, "/rules", "POST", RULE), {"name": "no"})
            for each in replicas:
                self.assertEqual([rule["name"] for rule in each.get("/api/v1/rules")["rules"]], ["no"])
                self.assertEqual(self.push(each, 1), 0)
            self.assertEqual(self.status(collector, "/api/v1/rules", "POST", RULE)[0], 409)
            self.change(collector, "/rules/no", "DELETE")
            for each in replicas:
                self.assertEqual(self.push(each, 1), 1)
            # The clock
            before = replicas[2].get("/api/v1/clock")["now"]
            self.assertEqual({each.get("/api/v1/clock")["now"] for each in replicas}, {before})
            self.change(collector, "/clock/advance", "POST", {"by": "10m"})
            after = {each.get("/api/v1/clock")["now"] for each in (*replicas, collector)}
            self.assertEqual(len(after), 1)
            self.assertNotEqual(after, {before})
            self.change(collector, "/reset", "POST")
            self.assertEqual(len({each.get("/api/v1/clock")["now"] for each in (*replicas, collector)}), 1)
            # Another scenario, and a mistake in one
            other = {"devices": [{"name": "bob", "token": TOKEN}],
                     "expect": [{"requests": {"device": "bob"}, "count": 3}]}
            self.assertEqual(self.change(collector, "/scenario", "PUT", other), other)
            for each in replicas:
                self.assertEqual(self.push(each, 1), 1)
            verdict = collector.post("/api/v1/verify", {})
            self.assertTrue(verdict["passed"], verdict["report"])
            self.assertEqual(self.status(collector, "/api/v1/scenario", "PUT", {"rules": 7})[0], 400)
            # Channels
            made = self.change(collector, "/channels", "POST", {"name": "final", "topic": TOPIC})
            for each in replicas:
                self.assertEqual(each.get("/api/v1/channels/final")["channelID"], made["channelID"])
            self.change(collector, "/channels/final", "DELETE")
            self.assertEqual(collector.get("/api/v1/channels")["channels"], [])

    def test_a_replica_that_joins_late_knows_all_changes(self):
        with Engine() as engine, Collector(engine, self.manual()) as collector, \
                self.replica(engine, "a", "--scenario", self.manual()) as a:
            self.change(collector, "/devices/alice", "PATCH", {"online": False})
            self.change(collector, "/rules", "POST", RULE)
            self.change(collector, "/clock/advance", "POST", {"by": "1h"})
            with self.replica(engine, "b", "--scenario", self.manual()) as b:
                self.assertIs(b.get("/api/v1/devices/alice")["online"], False)
                self.assertEqual([rule["name"] for rule in b.get("/api/v1/rules")["rules"]], ["no"])
                self.assertEqual(b.get("/api/v1/clock")["now"], a.get("/api/v1/clock")["now"])

    def test_a_device_that_registered_itself_elsewhere(self):
        with Engine() as engine, Collector(engine) as collector, self.replica(engine, "a") as a, \
                self.replica(engine, "b") as b:
            self.push(a, 1)
            self.change(collector, f"/devices/{TOKEN}", "PATCH", {"registered": False})
            self.assertEqual([self.push(a, 1), self.push(b, 1)], [0, 0])
            self.assertEqual(self.status(collector, f"/api/v1/devices/{device(79)}", "PATCH", {"online": False})[0], 404)

    def test_a_reset_starts_the_whole_fleet_over(self):
        scenario = self.scenario(20)
        with Engine() as engine, Collector(engine, scenario) as collector, \
                self.replica(engine, "a", "--scenario", scenario) as a, \
                self.replica(engine, "b", "--scenario", scenario) as b:
            epochs = set()
            for round_ in range(1, 4):
                self.push(a, 10)
                self.push(b, 10)
                self.change(collector, "/rules", "POST", RULE)
                verdict = collector.post("/api/v1/verify", {})
                self.assertTrue(verdict["passed"], verdict["report"])
                self.assertIn("All 2 expectations hold.", self.verify(engine, scenario, code=0))
                self.change(collector, "/reset", "POST")
                until(lambda: collector.count() == 0, lambda: "the collector does not start over")
                self.assertEqual(a.records(), [])
                self.assertEqual(b.get("/api/v1/rules")["rules"], [])
                fleet = collector.get("/api/v1/fleet")
                self.assertEqual(sorted(each["name"] for each in fleet["replicas"]), ["a", "b"])
                epochs.add(fleet["epoch"])
                self.assertEqual({each.get("/api/v1/fleet")["epoch"] for each in (a, b)}, {fleet["epoch"]})
                self.assertEqual(len(epochs), round_)
            self.assertFalse(collector.post("/api/v1/verify", {})["passed"])
            with self.replica(engine, "c", "--scenario", scenario) as c:
                self.push(c, 20)
                self.assertIn("All 2 expectations hold.", self.verify(engine, scenario, code=0))

    def test_orders_to_connections(self):
        with Engine() as engine, Collector(engine) as collector, self.replica(engine, "a") as a, \
                self.replica(engine, "b") as b:
            for each in (a, b):
                self.push(each, 1)

            def still_open(server):
                return [one for one in server.get("/api/v1/connections")["connections"] if one["closedAt"] is None]

            with socket.create_connection(("127.0.0.1", b.port), timeout=PATIENCE) as plain, \
                    b.tls().wrap_socket(plain, server_hostname="127.0.0.1"):
                # Those of the pushes are closed, which the collector hears later.
                until(lambda: len(collector.get("/api/v1/connections")["connections"]) == 3
                      and len(still_open(collector)) == 1 == len(still_open(b)), lambda: "no connection is left")
                self.change(collector, f"/connections/{still_open(collector)[0]['id']}/close", "POST", "end")
                until(lambda: not still_open(b), lambda: "the connection was not closed")

    def test_who_has_not_changed_is_named(self):
        with Engine() as engine, Collector(engine) as collector, self.replica(engine, "a") as a, \
                self.replica(engine, "b") as b:
            b.process.send_signal(signal.SIGSTOP)
            # On a busy machine its heartbeat could expire before the call. One that is on its way has arrived when the engine
            # has answered, so that it does not set the time again.
            os.waitpid(b.process.pid, os.WUNTRACED)
            engine.ask("PING")
            engine.ask("PERSIST mock-apns:{default}:alive:b")
            try:
                code, text = self.status(collector, "/api/v1/rules", "POST", RULE)
            finally:
                b.process.send_signal(signal.SIGCONT)
            self.assertEqual(code, 503, text)
            self.assertIn("b has not carried it out", text)
            self.assertIn("; it will, so do not repeat the call", text)
            self.assertNotIn("the engine cannot be reached", text)
            until(lambda: b.get("/api/v1/rules")["rules"], lambda: "the rule does not arrive")
            self.assertEqual(len(a.get("/api/v1/rules")["rules"]), 1)

    # Pushes in one order

    def test_times_hold_in_the_whole_fleet(self):
        scenario = self.ordered(rules=[{"name": "busy", "times": 2, "then": {"reject": "TooManyRequests"}}])
        with Engine() as engine, Collector(engine, scenario) as collector, contextlib.ExitStack() as stack:
            replicas = [stack.enter_context(self.replica(engine, name, "--scenario", scenario)) for name in "abcd"]
            self.assertEqual(self.push_to_all(replicas, 250), 998)
            collector.post("/api/v1/verify", {})
            self.assertEqual((collector.count(status=200), collector.count(status=429)), (998, 2))
            for each in replicas:
                self.assertEqual(each.get("/api/v1/rules")["rules"][0]["decided"], 2)

    def test_many_pushes_to_a_device_that_is_offline(self):
        scenario = self.ordered(timeline=[{"at": "10m", "do": {"device": "bob", "online": True}}])
        with Engine() as engine, Collector(engine, scenario) as collector, contextlib.ExitStack() as stack:
            replicas = [stack.enter_context(self.replica(engine, name, "--scenario", scenario)) for name in "abc"]
            self.assertEqual(self.push_to_all(replicas, 100, to=BOB), 300)
            for each in replicas:
                self.assertEqual(len(each.get("/api/v1/devices/bob")["stored"]), 1)
            self.change(collector, "/clock/advance", "POST", {"by": "10m"})
            collector.post("/api/v1/verify", {})
            records = collector.get("/api/v1/requests?limit=1000")["requests"]
            self.assertEqual(len(records), 300)
            self.assertEqual(sum(each["delivery"] == "Delivered to Device (From Storage)" for each in records), 1)
            replacing = [each["replacedBy"] for each in records if each["replacedBy"]]
            self.assertEqual(len(replacing), 299)
            self.assertLessEqual(set(replacing), {each["sequence"] for each in records})
            for each in (*replicas, collector):
                bob = each.get("/api/v1/devices/bob")
                self.assertEqual((bob["received"], bob["stored"], len(bob["displayed"])), (1, [], 1))

    def test_the_next_push_meets_the_change(self):
        scenario = self.ordered()
        with Engine() as engine, Collector(engine, scenario) as collector, contextlib.ExitStack() as stack:
            replicas = [stack.enter_context(self.replica(engine, name, "--scenario", scenario)) for name in "abc"]
            for each in replicas:
                self.change(collector, "/devices/alice", "PATCH", {"online": False})
                self.assertEqual(self.push(each, 1), 1)
                self.assertEqual(each.records()[-1]["delivery"], "Stored - Device Offline")
                self.change(collector, "/devices/alice", "PATCH", {"online": True})
                self.assertEqual(each.records()[-1]["delivery"], "Delivered to Device (From Storage)")

    def test_the_timeline_counts_the_requests_of_all(self):
        scenario = self.ordered(timeline=[
            {"after": {"requests": {"status": 200}, "count": 20}, "do": {"device": "bob", "online": True}}])
        with Engine() as engine, Collector(engine, scenario) as collector, \
                self.replica(engine, "a", "--scenario", scenario) as a, \
                self.replica(engine, "b", "--scenario", scenario) as b:
            self.push(a, 10)
            collector.post("/api/v1/verify", {})
            self.assertFalse(b.get("/api/v1/devices/bob")["online"])
            self.push(b, 10)
            for each in (a, b):
                until(lambda: each.get("/api/v1/devices/bob")["online"], lambda: "the timeline does not go on")

    def test_without_the_engine_only_ordered_pushes_are_refused(self):
        scenario = self.ordered()
        with Engine() as engine, Collector(engine, scenario) as collector, \
                self.replica(engine, "a", "--scenario", scenario) as a:
            engine.signal(signal.SIGSTOP)
            before = time.monotonic()
            self.assertEqual(self.push(a, 3, to=BOB), 0)
            self.assertGreaterEqual(time.monotonic() - before, 1)
            self.assertEqual(self.push(a, 10), 10)
            engine.signal(signal.SIGCONT)
            refused = a.records()[:3]
            self.assertEqual([each["reason"] for each in refused], ["ServiceUnavailable"] * 3)
            self.assertIn("All replicas of the fleet default decide this push in one order", refused[0]["explanation"])
            until(lambda: self.push(a, 1, to=BOB) == 1, lambda: "the engine is back, and the replica does not know")
            verdict = collector.post("/api/v1/verify", {})
            self.assertEqual(collector.count(), len(a.records()), verdict["report"])

    # Checking

    def test_check_says_which_rules_slow_down_a_fleet(self):
        slow = {"name": "slow", "every": 2, "then": {"reject": "Shutdown"}}
        for rule, is_slow in [(slow, True), ({**slow, "count": "replica"}, False), ({**slow, "times": 5}, False),
                              ({**slow, "when": {"topic": "a.b"}}, False), ({"then": {"reject": "Shutdown"}}, False)]:
            file = self.folder / "checked.json"
            file.write_text(json.dumps({"rules": [rule]}))
            done = subprocess.run([EXECUTABLE, "check", str(file)], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual('the rule "slow" counts every push; with serve --fleet' in done.stdout, is_slow, rule)

    # Starting

    def test_without_an_engine_the_exit_code_is_69(self):
        url = f"redis://127.0.0.1:{free_port()}"
        for words in [["serve", "--fleet", url, "--port", "0", "--admin-port", "0", "--certs", Server._certs()],
                      ["collect", "--fleet", url, "--admin-port", "0"], ["verify", "--fleet", url, self.scenario(1)]]:
            done = subprocess.run([EXECUTABLE, *words], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual((done.returncode, done.stdout), (69, ""), done.stderr)
            self.assertIn("the engine cannot be reached", done.stderr)

    def test_wrong_options_are_64(self):
        for words in [["serve", "--fleet", "http://x"], ["verify", "--fleet", "redis://x", "--log", "x", "y"],
                      ["serve", "--fleet", "redis://x", "--replica", "a b"], ["collect"],
                      ["verify", "--fleet", "redis://x"], ["verify", "--allow-missing", "--log", "x", "y"]]:
            done = subprocess.run([EXECUTABLE, *words], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, 64, done.stderr)

    def test_options_of_a_fleet_need_one(self):
        environment = {name: value for name, value in os.environ.items() if name != "MOCK_APNS_FLEET"}
        for option, value in [("--replica", "a"), ("--fleet-name", "b"), ("--fleet-delay", "5ms")]:
            with self.subTest(option):
                done = subprocess.run([EXECUTABLE, "serve", option, value], capture_output=True, text=True, env=environment,
                                      timeout=PATIENCE)
                self.assertEqual(done.returncode, 64, done.stderr)
                self.assertIn(f"{option} is for a fleet; give --fleet URL as well, the address of its engine.", done.stderr)
        # The variable is as good as the option.
        done = subprocess.run([EXECUTABLE, "serve", "--replica", "a", "--certs", Server._certs()], capture_output=True,
                              text=True, env={**environment, "MOCK_APNS_FLEET": f"redis://127.0.0.1:{free_port()}"},
                              timeout=PATIENCE)
        self.assertEqual(done.returncode, 69, done.stderr)

    def test_what_is_wrong_with_the_address_is_said(self):
        for words, environment, message in [
                (["--fleet", "rediss://h"], {}, "--fleet asks for TLS to the engine, which is not supported"),
                ([], {"MOCK_APNS_FLEET": "redis://h:70000"}, "MOCK_APNS_FLEET has a port 70000 that is not a number from 1 to 65535.")]:
            done = subprocess.run([EXECUTABLE, "collect", *words], capture_output=True, text=True,
                                  env={**os.environ, **environment}, timeout=PATIENCE)
            self.assertEqual(done.returncode, 64, done.stderr)
            self.assertIn(f"mock-apns: {message}", done.stderr)

    def test_a_collector_that_comes_after_a_reset_has_the_fleets_scenario(self):
        scenario, told = self.scenario(2), "a scenario that the fleet neither plays nor was started with"
        with Engine() as engine, self.replica(engine, "a", "--scenario", scenario) as a:
            with Collector(engine, scenario) as first:
                self.change(first, "/reset", "POST")
                self.push(a, 2)
                self.assertTrue(first.post("/api/v1/verify", {})["passed"])
            with Collector(engine, self.ordered()) as other:
                until(lambda: told in other.stderr(), lambda: f"it does not say so:\n{other.stderr()}")
                verdict = other.post("/api/v1/verify", {})
                self.assertFalse(verdict["passed"])
                self.assertIn(told, verdict["report"])
            # One that was started without a scenario takes that of the fleet.
            for options in [(scenario,), ()]:
                with Collector(engine, *options) as same:
                    verdict = same.post("/api/v1/verify", {})
                    self.assertTrue(verdict["passed"], verdict["report"])
                    self.assertIn("expectations hold", verdict["report"])

    def test_a_replica_without_a_collector_says_so(self):
        told = "The fleet typo has no collector so far."
        with Engine() as engine, Collector(engine, None, "--fleet-name", "right"), \
                self.replica(engine, "a", "--fleet-name", "right") as a, \
                self.replica(engine, "b", "--fleet-name", "typo") as b:
            until(lambda: told in b.stderr(), lambda: f"it does not say so:\n{b.stderr()}")
            self.assertNotIn("no collector", a.stderr())

    def test_a_collector_with_another_scenario_names_a_replica(self):
        scenario = self.scenario(1)
        with Engine() as engine, Collector(engine, scenario) as same, Collector(engine) as other, \
                self.replica(engine, "a", "--scenario", scenario), self.replica(engine, "b", "--scenario", scenario):
            # Before a verdict, they have read that the replicas have joined.
            for collector in (same, other):
                collector.post("/api/v1/verify", {})
            told = "the replica a was started with another scenario than this collector"
            until(lambda: told in other.stderr(), lambda: f"it does not say so:\n{other.stderr()}")
            self.assertEqual(other.stderr().count("another scenario"), 1, other.stderr())
            self.assertNotIn("another scenario", same.stderr())
            verdict = other.post("/api/v1/verify", {})
            self.assertFalse(verdict["passed"])
            self.assertIn(told, verdict["report"])
            # Nor can it judge what it is asked, even if that would hold.
            verdict = other.post("/api/v1/verify", {"expect": [{"requests": {"status": 200}, "count": 0}]})
            self.assertFalse(verdict["passed"])
            self.assertIn(told, verdict["report"])
            # Another that all of them play is theirs.
            self.change(other, "/scenario", "PUT", {"devices": [{"name": "alice", "token": TOKEN}]})
            verdict = other.post("/api/v1/verify", {})
            self.assertTrue(verdict["passed"], verdict["report"])

    def test_replicas_that_differ_do_not_start(self):
        with Engine() as engine, self.replica(engine, "a"):
            for options, why in [(["--scenario", self.scenario(1)], "was started with another scenario; give all of them the same one"),
                                 (["--auth", "none"], "was started with --initial-streams 1000, and this one with --auth none;"),
                                 (["--certs", str(self.folder / "certs")], "has another certificate authority")]:
                words = ["serve", "--fleet", engine.url, "--replica", "b", "--port", "0", "--admin-port", "0"]
                if "--certs" not in options:
                    words += ["--certs", Server._certs()]
                done = subprocess.run([EXECUTABLE, *words, *options], capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual(done.returncode, 65, done.stderr)
                self.assertIn(f'The replica "a" of the fleet default {why}', done.stderr)
            done = subprocess.run(
                [EXECUTABLE, "serve", "--fleet", engine.url, "--replica", "a", "--port", "0", "--admin-port", "0",
                 "--certs", Server._certs()], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, 69, done.stderr)
            self.assertIn('There is already a replica "a"', done.stderr)

    # Calls

    def test_answers_to_changes_show_the_collectors_device(self):
        scenario = self.ordered()
        with Engine() as engine, Collector(engine, scenario) as collector, \
                self.replica(engine, "a", "--scenario", scenario) as a, self.replica(engine, "b", "--scenario", scenario) as b:
            self.push(a, 1)
            self.push(b, 1)
            collector.post("/api/v1/verify", {})
            for path, method, body in [("", "PATCH", {"power": "saving"}), ("/displayed/2", "DELETE", None)]:
                changed = self.change(collector, "/devices/alice" + path, method, body)
                self.assertEqual(changed, collector.get("/api/v1/devices/alice"))
                self.assertEqual(changed["received"], 2)
            declared = self.change(collector, "/devices", "POST", {"name": "carol", "topics": ["com.example.app"]})
            self.assertEqual(declared, collector.get("/api/v1/devices/carol"))

    def test_outages_end_on_all_replicas(self):
        scenario = self.ordered(rules=[{"times": 2, "then": {"outage": {"reason": "ServiceUnavailable", "for": "1h"}}}])
        with Engine() as engine, Collector(engine, scenario) as collector, \
                self.replica(engine, "a", "--scenario", scenario) as a, \
                self.replica(engine, "b", "--scenario", scenario) as b:
            for _ in range(2):
                self.assertEqual(self.push(a, 1), 0)
                for each in (a, b):
                    self.assertEqual(len(each.get("/api/v1/rules")["outages"]), 1)
                self.assertEqual(self.change(collector, "/outages", "DELETE"), {"deleted": 1})
                for each in (a, b):
                    self.assertEqual(each.get("/api/v1/rules")["outages"], [])
            self.assertEqual([self.push(a, 1), self.push(b, 1)], [1, 1])

    def test_devices_unknown_to_all_replicas_are_not_created(self):
        with Engine() as engine, Collector(engine) as collector, self.replica(engine, "a") as a, \
                self.replica(engine, "b") as b:
            change = {"online": False}
            self.assertEqual(self.status(collector, f"/api/v1/devices/{TOKEN}", "PATCH", change)[0], 404)
            self.assertEqual(self.status(b, f"/api/v1/devices/{TOKEN}")[0], 404)
            self.push(b, 1)
            self.change(collector, f"/devices/{TOKEN}", "PATCH", change)
            for each in (a, b):
                self.assertIs(each.get(f"/api/v1/devices/{TOKEN}")["online"], False)

    def test_one_notification_is_dismissed(self):
        scenario = self.ordered(expect=[{"device": "bob", "badge": 0}])

        def displayed(server, name):
            return [each["sequence"] for each in server.get(f"/api/v1/devices/{name}")["displayed"]]

        with Engine() as engine, Collector(engine, scenario) as collector, \
                self.replica(engine, "a", "--scenario", scenario) as a, \
                self.replica(engine, "b", "--scenario", scenario) as b:
            for each in (a, b, b):
                self.push(each, 1)
                collector.post("/api/v1/verify", {})
            self.assertEqual([displayed(each, "alice") for each in (a, b, collector)], [[1], [1, 2], [1, 2, 3]])
            self.change(collector, "/devices/alice/displayed/2", "DELETE")
            until(lambda: displayed(collector, "alice") == [1, 3], lambda: "the wrong one was dismissed")
            self.assertEqual([displayed(each, "alice") for each in (a, b)], [[1], [2]])
            self.assertEqual(self.status(collector, "/api/v1/devices/alice/displayed/9", "DELETE")[0], 404)
            # What all have decided, all display.
            self.change(collector, "/devices/bob", "PATCH", {"online": True})
            self.push(a, 1, to=BOB)
            self.push(b, 1, to=BOB)
            collector.post("/api/v1/verify", {})
            self.assertEqual([len(displayed(each, "bob")) for each in (a, b, collector)], [2, 2, 2])
            self.change(collector, "/devices/bob/displayed/4", "DELETE")
            until(lambda: displayed(collector, "bob") == [5], lambda: "it was not dismissed")
            self.assertEqual([len(displayed(each, "bob")) for each in (a, b)], [1, 1])

    def test_live_activities_have_the_same_tokens_everywhere(self):
        scenario = self.ordered(liveActivities={"tokens": "own"}, expect=[{"device": "alice", "activities": [{"/score": "2-1"}]}])

        def push(server, to, event, score, **more):
            aps = {"timestamp": int(time.time()), "event": event, "content-state": {"score": score}, **more}
            self.body.write_text(json.dumps({"aps": aps}))
            return self.push(server, 1, to=to, topic=f"{TOPIC}.push-type.liveactivity", fields=["apns-push-type: liveactivity"])

        def activities(server):
            return [(each["token"], each["event"]) for each in server.get("/api/v1/devices/alice")["activities"]]

        with Engine() as engine, Collector(engine, scenario) as collector, \
                self.replica(engine, "a", "--scenario", scenario) as a, \
                self.replica(engine, "b", "--scenario", scenario) as b:
            (start,) = {each.get("/api/v1/devices/alice")["pushToStartToken"] for each in (a, b, collector)}
            attributes = {"attributes-type": "Match", "attributes": {}, "input-push-token": 1, "alert": {"title": "Kick-off"}}
            self.assertEqual(push(a, start, "start", "0-0", **attributes), 1)
            ((update, _),) = a.post("/api/v1/devices/alice/activities/wait", {})["activities"] and activities(a)
            until(lambda: activities(b) == [(update, "start")], lambda: f"{activities(b)}")
            self.assertEqual(push(b, update, "update", "1-1"), 1)
            self.assertEqual(push(a, start, "update", "9-9"), 0)
            self.assertEqual(push(a, update, "end", "2-1"), 1)
            self.assertEqual([push(each, update, "update", "9-9") for each in (a, b)], [0, 0])
            verdict = collector.post("/api/v1/verify", {})
            self.assertTrue(verdict["passed"], verdict["report"])
            self.assertEqual([activities(each) for each in (a, b, collector)], [[(update, "end")]] * 3)
            refused = [each["reason"] for each in collector.get("/api/v1/requests")["requests"] if each["status"] != 200]
            self.assertEqual(sorted(refused), ["DeviceTokenNotForTopic", "ExpiredToken", "ExpiredToken"])

    def test_a_long_answer(self):
        rules = [{"name": f"{number:0200}", "when": {"topic": f"x{number}"}, "then": {"reject": "Shutdown"}}
                 for number in range(400)]
        scenario = self.ordered(rules=rules)
        with Engine() as engine, Collector(engine, scenario) as collector, \
                self.replica(engine, "a", "--scenario", scenario) as a:
            self.assertEqual(len(collector.get("/api/v1/rules?limit=1000")["rules"]), 400)
            played = self.change(collector, "/scenario", "PUT", {"rules": rules})
            self.assertEqual(played, {"rules": rules})

    def test_replicas_open_their_port_only_after_joining(self):
        port = free_port()
        with Engine() as engine:
            # Its name belongs to one that was killed, which it waits for.
            engine.ask("SET mock-apns:{default}:alive:a 1 PX 2500")

            def answers():
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                    return True

            early = []

            def look():
                while engine.ask("EXISTS mock-apns:{default}:control") == b":0\r\n":
                    early.append(answers())
                    time.sleep(0.05)

            looking = threading.Thread(target=look)
            looking.start()
            with self.replica(engine, "a", "--port", str(port)):
                looking.join(PATIENCE)
                self.assertTrue(answers())
            self.assertGreater(len(early), 5)
            self.assertNotIn(True, early)

    def test_late_replicas_play_what_others_play_after_resets(self):
        other = {"clock": {"manual": "now"}, "devices": [{"name": "bob", "token": BOB}], "rules": [RULE]}
        with Engine() as engine, Collector(engine, self.manual()) as collector, \
                self.replica(engine, "a", "--scenario", self.manual()) as a:
            self.change(collector, "/scenario", "PUT", other)
            # The engine drops blocks of entries, so there have to be some.
            for _ in range(150):
                self.change(collector, "/clock/advance", "POST", {"by": "1s"})
            self.change(collector, "/reset", "POST")
            self.assertEqual(engine.ask("XRANGE mock-apns:{default}:control - + COUNT 1").find(b"play"), -1)
            with self.replica(engine, "b", "--scenario", self.manual()) as b:
                self.assertEqual(b.get("/api/v1/scenario"), other)
                self.assertEqual(self.push(b, 1), 0)

    def test_a_refused_reset_changes_nothing(self):
        with Engine() as engine, Collector(engine, self.scenario(20)) as collector, self.replica(engine, "a") as a:
            self.push(a, 10)
            self.assertEqual(self.status(collector, "/api/v1/scenario?reset=true", "PUT", {"rules": 7})[0], 400)
            self.assertEqual(self.status(collector, "/api/v1/reset", "POST", {"x": 1})[0], 400)
            self.assertEqual(self.status(a, "/api/v1/reset", "POST")[0], 409)
            self.push(a, 10)
            verdict = collector.post("/api/v1/verify", {})
            self.assertTrue(verdict["passed"], verdict["report"])
            self.assertIn("All 2 expectations hold.", self.verify(engine, self.scenario(20), code=0))

    def test_a_reload_leaves_the_scenario_to_the_fleet(self):
        file = self.folder / "reloaded.json"
        file.write_text("{}")
        with Engine() as engine, self.replica(engine, "a", "--scenario", str(file)) as a:
            file.write_text(json.dumps({"rules": [RULE]}))
            a.process.send_signal(signal.SIGHUP)
            until(lambda: "Certificates and keys were reloaded" in a.stderr(), lambda: "it was not reloaded")
            self.assertEqual(a.get("/api/v1/scenario"), {})


if __name__ == "__main__":
    unittest.main()
