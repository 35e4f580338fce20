"""From end to end: a provider run by `mock-apns exec` under scenarios of the library, correct and with each of its bugs."""

import json
import subprocess
import sys
import unittest

import provider
from server import EXECUTABLE, PATIENCE, ROOT, Server

# The scenario, the devices that are pushed to in turn, the bug that it is about, and the expectation that catches it.
STORIES = [
    ("fails-twice-then-works", ["alice"], "no-back-off", "two pauses"),
    ("token-rotated", ["old-phone", "new-phone", "old-phone", "new-phone"], "retry-on-410", "and was dropped"),
    ("goaway-socket-left-open", ["alice", "bob"], "ignores-goaway", "sent on a new connection"),
    ("one-token-for-all", ["alice", "bob", "carol"], "token-per-push", "signed one new token"),
    ("answer-lost", ["alice"], "duplicate-after-lost-answer", "one banner"),
]


class Stories(unittest.TestCase):
    def play(self, name, devices, *options):
        file = ROOT / f"scenarios/{name}.json"
        tokens = {device["name"]: device["token"] for device in json.loads(file.read_text())["devices"]}
        command = [EXECUTABLE, "exec", "--certs", str(Server._certs()), "--scenario", str(file), "--"]
        command += [sys.executable, provider.__file__, *options, *(tokens[device] for device in devices)]
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)

    def test_a_correct_provider_passes_all(self):
        for name, devices, _, _ in STORIES:
            with self.subTest(name):
                done = self.play(name, devices)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_each_bug_is_caught_and_named(self):
        for name, devices, bug, expectation in STORIES:
            with self.subTest(bug):
                # A machine that is too busy makes the pauses that a provider without back-off leaves out.
                for _ in range(5):
                    done = self.play(name, devices, "--bug", bug)
                    if done.returncode == 1:
                        break
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn(f"FAILED  {expectation}\n", done.stderr)

    def test_there_is_a_story_for_each_bug(self):
        self.assertEqual([bug for _, _, bug, _ in STORIES], provider.BUGS)


if __name__ == "__main__":
    unittest.main()
