"""`scenario --from-log` and `POST /api/v1/recording`: a scenario made of a run plays back to the same answers."""

import json
import pathlib
import subprocess
import tempfile
import time
import unittest

import httpx

from server import EXECUTABLE, TOPIC, Server, device

ALICE, BOB, CAROL, DAVE = (device(number) for number in (61, 62, 63, 64))
RUN = {
    "name": "a day",
    "devices": [
        {"name": "alice", "token": ALICE, "topic": TOPIC},
        {"name": "bob", "token": BOB, "topic": TOPIC, "online": False},
        {"name": "carol", "token": CAROL, "topic": TOPIC, "registered": {"unregisteredAt": "2026-01-02T03:04:05Z"}},
        {"name": "erin", "token": device(65), "topic": TOPIC, "rate": {"allowed": 2, "per": "1h"}}],
    "rules": [
        {"name": "busy", "when": {"device": "alice"}, "skip": 1, "times": 2, "then": {"reject": "TooManyRequests", "retryAfter": 7}},
        {"name": "odd", "when": {"device": "alice"}, "skip": 4, "times": 1, "then": {"respond": {"status": 418}}},
        {"name": "gone", "when": {"token": DAVE}, "times": 1, "then": {"reject": "BadDeviceToken"}},
        {"name": "lost", "when": {"payload": {"/lost": True}}, "then": {"resetStream": "INTERNAL_ERROR"}}],
}


class Run:
    """Pushes to a server, and what they were answered."""

    def __init__(self, server):
        self.server = server
        self.client = httpx.Client(http2=True, verify=server.tls())
        self.fields = {"authorization": f"bearer {server.token()}"}
        self.answers = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.close()

    def push(self, token, payload=None, topic=TOPIC, **fields):
        named = {f"apns-{name.replace('_', '-')}": str(value) for name, value in fields.items()}
        body = json.dumps(payload or {"aps": {"alert": "Hello"}})
        try:
            answer = self.client.post(f"{self.server.url}/3/device/{token}", content=body, headers=self.fields | {"apns-topic": topic} | named)
            reason = answer.json().get("reason") if answer.content and answer.status_code != 418 else None
            self.answers.append((answer.status_code, reason, answer.headers.get("retry-after")))
        except httpx.RemoteProtocolError:
            self.answers.append("reset")

    def play(self, scenario):
        """What a provider that is given the workload sends, in its order."""
        tokens = {known["name"]: known for known in scenario.get("devices", [])}
        for entry in scenario["workload"]:
            push = entry["push"]
            known = tokens.get(push.get("device"), {})
            topic = push.get("topic") or (known.get("topics") or [known.get("topic")])[0]
            fields = {name: push[key] for name, key in (("push_type", "pushType"), ("priority", "priority"), ("collapse_id", "collapseID"),
                                                        ("expiration", "expiration")) if key in push}
            for _ in range(entry.get("times", 1)):
                self.push(push.get("token") or known["token"], push.get("payload"), topic, **fields)


class Made(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def write(self, name, scenario):
        file = self.folder / name
        file.write_text(json.dumps(scenario))
        return str(file)

    def command(self, *words):
        return subprocess.run([EXECUTABLE, *words], capture_output=True, text=True, check=False)

    def played(self, scenario):
        """The answers to the workload of a scenario, once it has been checked."""
        file = self.write("made.json", scenario)
        checked = self.command("check", file)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""), checked.stdout)
        with Server("--scenario", file) as server, Run(server) as run:
            run.play(scenario)
            return run.answers

    def test_a_log_is_no_scenario(self):
        log = self.folder / "run.jsonl"
        with Server("--log", str(log)):
            pass
        done = self.command("check", str(log))
        self.assertEqual(done.returncode, 65)
        self.assertIn(f"not a scenario; mock-apns scenario --from-log {log} makes one of it.", done.stderr)

    def test_a_folder_is_no_scenario(self):
        done = self.command("check", str(self.folder))
        self.assertEqual((done.returncode, done.stderr), (69, f"mock-apns: {self.folder} is a folder, not a file.\n"))
        files = [self.write(name, {}) for name in ("b.json", "a.json", "0.txt")]
        done = self.command("check", str(self.folder))
        self.assertIn(
            f"is a folder, not a file; name a file in it, such as {files[1]}. mock-apns check {self.folder}/*.json checks all"
            " scenarios in it.\n", done.stderr)

    def test_a_log_becomes_a_scenario_with_the_same_answers(self):
        log = self.folder / "run.jsonl"
        with Server("--scenario", self.write("run.json", RUN), "--log", str(log)) as server, Run(server) as run:
            run.push(ALICE, push_type="alert")
            run.push(ALICE)
            run.push(ALICE)
            run.push(BOB, collapse_id="score", expiration=int(time.time()) + 3600)
            run.push(CAROL)
            server.patch("/api/v1/devices/bob", {"online": True, "notifications": False})
            run.push(ALICE, {"aps": {"content-available": 1}}, push_type="background", priority=5)
            run.push(ALICE)
            run.push(DAVE)
            run.push(DAVE)
            server.post("/api/v1/rules", {"name": "late", "when": {"device": "bob"}, "times": 1, "then": {"reject": "ServiceUnavailable"}})
            run.push(BOB)
            run.push(BOB)
            run.push(ALICE, {"aps": {"alert": "x"}, "lost": True})
            server.patch("/api/v1/devices/alice", {"registered": False})
            run.push(ALICE)
            server.patch("/api/v1/devices/alice", {"registered": True})
            run.push(ALICE, topic="com.example.other")
            for _ in range(3):
                run.push(device(65), {"aps": {"alert": "often"}})
            run.push(ALICE, {"aps": {"alert": "x" * 5000}})
            run.push(ALICE, {"aps": {"alert": "last"}})
            seen = run.answers
        made = self.command("scenario", "--from-log", str(log))
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        scenario = json.loads(made.stdout)
        self.assertEqual(self.played(scenario), seen)
        self.assertEqual([known["name"] for known in scenario["devices"]], ["alice", "bob", "carol", "erin"])
        self.assertEqual({known["name"]: known.get("online", True) for known in scenario["devices"]}["bob"], False)

    def test_what_a_workload_cannot_have_is_told(self):
        log = self.folder / "run.jsonl"
        with Server("--log", str(log)) as server, Run(server) as run:
            run.push(ALICE, priority=7)
            run.push(ALICE)
        file = self.folder / "made.json"
        made = self.command("scenario", "--from-log", str(log), "-o", str(file))
        self.assertEqual((made.returncode, made.stdout), (0, ""))
        self.assertEqual(made.stderr, "Push 1 is left out of the workload, in which no push can be like that: its priority.\n")
        self.assertEqual(self.played(json.loads(file.read_text())), [(200, None, None)])

    def test_files_that_are_no_logs(self):
        for name, text, code in (("none.jsonl", None, 69), ("other.jsonl", "{}\n", 65), ("empty.jsonl", "", 65)):
            with self.subTest(name):
                if text is not None:
                    (self.folder / name).write_text(text)
                made = self.command("scenario", "--from-log", str(self.folder / name))
                self.assertEqual((made.returncode, made.stdout), (code, ""))
                self.assertIn(name, made.stderr)
        made = self.command("scenario", "tour", "-o", str(self.folder / "nowhere" / "made.json"))
        self.assertEqual(made.returncode, 69)
        self.assertIn("No such file or directory", made.stderr)

    def test_a_recording_becomes_a_scenario(self):
        with Server("--scenario", self.write("run.json", RUN | {"clock": {"manual": "now"}})) as server, Run(server) as run:
            run.push(ALICE)
            self.assertEqual(server.get("/api/v1/recording")["state"], "stopped")
            started = server.post("/api/v1/recording", {"state": "start"})
            self.assertEqual((started["state"], started["after"]), ("recording", 1))
            run.answers.clear()
            run.push(BOB)
            server.post("/api/v1/clock/advance", {"by": "10m"})
            server.patch("/api/v1/devices/bob", {"online": True})
            run.push(BOB)
            server.post("/api/v1/rules", {"when": {"device": "bob"}, "times": 1, "then": {"reject": "InternalServerError"}})
            server.post("/api/v1/pushes", {"device": "bob", "payload": {"aps": {"alert": "by hand"}}})
            run.push(BOB)
            seen = run.answers
            made = server.post("/api/v1/recording", {"state": "stop"})
            self.assertEqual(server.get("/api/v1/recording")["state"], "stopped")
        self.assertEqual([step["text"] for step in made["steps"] if step["list"] == "timeline"],
                         ["the clock moves on by 10m", "bob comes online"])
        self.assertEqual([(step["list"], step["text"]) for step in made["steps"] if step["list"] == "rules"],
                         [("rules", 'rule "rule-1" is added')])
        anew = [f'Rule "{name}" had matched before; in the scenario it counts anew.' for name in ("busy", "odd")]
        self.assertEqual((made["pushes"], made["notes"]), (4, anew))
        self.assertEqual(made["answers"][2]["element"]["requests"], {"device": "bob", "status": 500, "reason": "InternalServerError"})
        scenario = made["scenario"]
        self.assertEqual(scenario["name"], "a day")
        self.assertEqual([rule["name"] for rule in scenario["rules"]], ["rule-1", "busy", "odd", "gone", "lost"])
        self.assertEqual(scenario["rules"][0]["skip"], 2)
        again = self.played(scenario)
        self.assertEqual(again[:2] + again[3:], seen)
        self.assertEqual(again[2], (500, "InternalServerError", None))

    def test_a_recording_begins_with_the_rules_that_are_left(self):
        rules = [{"name": "once", "times": 1, "then": {"reject": "Shutdown"}},
                 {"name": "twice", "times": 2, "then": {"reject": "InternalServerError"}}]
        with Server("--scenario", self.write("run.json", {"devices": RUN["devices"], "rules": rules})) as server, Run(server) as run:
            for _ in range(2):
                run.push(ALICE)
            server.post("/api/v1/recording", {"state": "start"})
            run.push(ALICE)
            made = server.post("/api/v1/recording", {"state": "stop"})
            self.assertEqual([rule["name"] for rule in server.get("/api/v1/scenario?current=true")["rules"]], ["once", "twice"])
        self.assertEqual([rule["name"] for rule in made["scenario"]["rules"]], ["twice"])
        self.assertEqual(made["notes"], ['Rule "twice" had matched before; in the scenario it counts anew.'])
        self.assertEqual(self.played(made["scenario"]), run.answers[2:])

    def test_a_recording_keeps_rules_that_the_scenario_names(self):
        scenario = {"rules": [{"name": "once", "times": 1, "then": {"reject": "Shutdown"}}],
                    "expect": [{"requests": {"decidedBy": "rule:once"}, "count": 1}]}
        with Server("--scenario", self.write("run.json", scenario)) as server, Run(server) as run:
            run.push(ALICE)
            server.post("/api/v1/recording", {"state": "start"})
            made = server.post("/api/v1/recording", {"state": "stop"})
        self.assertEqual([rule["name"] for rule in made["scenario"]["rules"]], ["once"])
        self.assertEqual(made["notes"], ['Rule "once" had matched before; in the scenario it counts anew.'])


if __name__ == "__main__":
    unittest.main()
