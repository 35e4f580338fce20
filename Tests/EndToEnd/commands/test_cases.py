"""Small scenarios that once went wrong: `check` knows what cannot be played, and a server survives all of them."""

import contextlib
import json
import pathlib
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

import wire
from server import EXECUTABLE, PATIENCE, Server, device

PATH = "/3/device/" + device(3)


def respond(**fields):
    return {"rules": [{"then": {"respond": {"status": 200, "headers": fields}}}]}


# What no answer can hold: the place of the mistake.
MISTAKES = {
    "long-field-name": (respond(**{"x" * 65_536: "1"}), "rules[0].then.respond.headers"),
    "many-fields": (respond(**{f"x-{number}": "v" * 8_000 for number in range(10)}), "rules[0].then.respond.headers"),
    "long-goaway-text": ({"rules": [{"then": {"goAway": {"text": "t" * 20_000}}}]}, "rules[0].then.goAway.text"),
}
# What can be played.
GOOD = {
    "nothing-to-judge": {
        "expect": [
            {"requests": {"status": 200}, "count": 1, "each": "token"},
            {"spacing": {"requests": {}, "atLeast": "1s"}},
            {"inOrder": [{"status": 200}], "each": "token"},
            {"requests": {}, "distinct": "apnsID", "each": "token", "count": 1},
        ]
    },
    "settings-flood": {"rules": [{"then": {"hostile": "settingsFlood"}}]},
    "unused-rule": {
        "rules": [
            {"name": "busy", "when": {"topic": "com.example.other"}, "then": {"reject": "TooManyRequests"}}
        ],
        "expect": [{"nothingElse": True}],
    },
    "fields": respond(**{"x" * 200: "v" * 4_000}),
    "goaway-text": {"rules": [{"then": {"goAway": {"text": "t" * 4_000}}}]},
}


class Cases(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-")))

    def write(self, name, scenario):
        file = self.folder / f"{name}.json"
        file.write_text(json.dumps(scenario))
        return str(file)

    def run_command(self, *words):
        return subprocess.run([EXECUTABLE, *words], capture_output=True, text=True, timeout=PATIENCE)

    def play(self, server, scenario):
        """Plays another scenario; the status of the answer, and the answer."""
        request = urllib.request.Request(
            server.admin + "/api/v1/scenario", json.dumps(scenario).encode(), method="PUT")
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def push(self, server, token):
        """The status of one push, or `None` if the connection ends without one."""
        with contextlib.suppress(wire.Closed), wire.Connection(server) as connection:
            headers, _, _ = connection.answer(connection.request(wire.push(token, PATH), b"{}"))
            return dict(headers)[":status"]

    def test_check_knows_what_cannot_be_played(self):
        for name, (scenario, place) in MISTAKES.items():
            with self.subTest(name):
                done = self.run_command("check", self.write(name, scenario))
                self.assertEqual(done.returncode, 65, done.stdout + done.stderr)
                self.assertIn(f"{name}.json:1:", done.stdout + done.stderr)
                self.assertIn(place, done.stdout + done.stderr)
                # A line for people, however long the text is.
                self.assertLess(len(done.stdout + done.stderr), 2_000)

    def test_check_has_nothing_against_the_others(self):
        files = [self.write(name, scenario) for name, scenario in GOOD.items()]
        done = self.run_command("check", *files)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_server_refuses_what_check_refuses(self):
        with Server() as server:
            token = server.token()
            for name, (scenario, place) in MISTAKES.items():
                with self.subTest(name):
                    status, answer = self.play(server, scenario)
                    self.assertEqual(status, 400, answer)
                    self.assertTrue(json.loads(answer)["error"]["pointer"].startswith("/" + place.split("[")[0].split(".")[0]))
                    self.assertEqual(self.push(server, token), "200")

    def test_a_server_plays_the_others(self):
        with Server() as server:
            token = server.token()
            for name, scenario in GOOD.items():
                with self.subTest(name):
                    status, answer = self.play(server, scenario)
                    self.assertEqual(status, 200, answer)
                    self.push(server, token)
                    self.assertEqual(server.get("/api/v1/requests")["total"] > 0, True)
            self.assertEqual(self.play(server, {})[0], 200)
            self.assertEqual(self.push(server, token), "200")
