"""The recipes of the README: a small provider in each language, unmodified clients all, run by `mock-apns exec`."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from server import EXECUTABLE, ROOT, Server, device

RECIPES = ROOT / "Tests/Interop/recipes"
# How each is run. .ci/packages installs all but the last two languages on Debian; elsewhere what is there is run.
COMMANDS = {
    "push.sh": ["sh"], "push.py": [sys.executable], "push.go": ["go", "run"], "push.php": ["php"],
    "push.rb": ["ruby"], "push.mjs": ["node"], "Push.java": ["java"],
}
OPTIONAL = {"push.mjs", "Push.java"} if sys.platform == "linux" else set(COMMANDS)
ALICE, BOB = device(1), device(2)
SCENARIO = {
    "name": "recipes",
    "devices": [{"name": "alice", "token": ALICE}, {"name": "bob", "token": BOB, "registered": False}],
    "expect": [
        {"device": "alice", "displayed": [{"/aps/alert": "Hello"}]},
        {"requests": {"device": "bob", "reason": "Unregistered"}, "count": 1},
        {"connections": {"atLeast": 1}}, {"nothingElse": True},
    ],
}
SCENARIO["expect"].insert(0, {"requests": {"device": "alice", "status": 200, "keyID": "ABC123DEFG"}, "count": 1})


class Recipes(unittest.TestCase):
    def test_each_is_run(self):
        self.assertEqual(sorted(path.name for path in RECIPES.iterdir() if path.is_file()), sorted(COMMANDS))
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-recipes-")))
        scenario = folder / "recipes.json"
        scenario.write_text(json.dumps(SCENARIO))
        environment = {**os.environ, "MOCK_APNS": EXECUTABLE, "GOCACHE": str(folder / "go"), "GOFLAGS": "-mod=mod"}
        for name, command in COMMANDS.items():
            if name in OPTIONAL and not shutil.which(command[0]):
                continue
            with self.subTest(name):
                done = subprocess.run(
                    [EXECUTABLE, "exec", "--certs", str(Server._certs()), "--scenario", str(scenario), "--",
                     *command, str(RECIPES / name), ALICE, BOB],
                    env=environment, capture_output=True, text=True, timeout=180)
                self.assertEqual((done.returncode, done.stdout), (0, "200\n410\n"), done.stderr)


if __name__ == "__main__":
    unittest.main()
