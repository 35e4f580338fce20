"""The complete providers of the article Providers: one in each language, unmodified clients all, run by `mock-apns exec`."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from copies import PROVIDERS, SWIFT_PACKAGE, SWIFT_TESTS
from server import EXECUTABLE, PATIENCE, ROOT, Server, device

ROOTS = "/etc/ssl/certs/ca-certificates.crt"
# URLSession trusts the system alone, so the system it sees is one that trusts the server.
SWIFT = f"""
    swiftc "$0" -o "$FOLDER/push"
    exec unshare --mount --propagation private \\
        sh -c 'mount --bind "$SSL_CERT_FILE" {ROOTS} && exec "$0" "$@"' "$FOLDER/push" "$@"
"""
# How each is run. .ci/packages installs all of them on Debian; elsewhere what is there is run.
COMMANDS = {
    "push.sh": ["sh"], "push.py": [sys.executable], "push.go": ["go", "run"], "push.php": ["php"],
    "push.rb": ["ruby"], "push.swift": ["sh", "-c", SWIFT], "push.mjs": ["node"], "Push.java": ["java"],
}
OPTIONAL = set() if sys.platform == "linux" else set(COMMANDS)
MOUNT = ["unshare", "--mount", "--propagation", "private", "mount", "--bind", ROOTS, ROOTS]
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
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-recipes-")))
        self.scenario = self.folder / "recipes.json"
        self.scenario.write_text(json.dumps(SCENARIO))

    def check(self, *command):
        environment = {**os.environ, "MOCK_APNS": EXECUTABLE, "FOLDER": str(self.folder),
                       "GOCACHE": str(self.folder / "go"), "GOFLAGS": "-mod=mod"}
        log = self.folder / "log.jsonl"
        log.unlink(missing_ok=True)
        done = subprocess.run(
            [EXECUTABLE, "exec", "--certs", str(Server._certs()), "--scenario", str(self.scenario), "--log", str(log), "--",
             *command, ALICE, BOB],
            env=environment, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stdout), (0, "200\n410\n"), done.stderr)
        done = subprocess.run([EXECUTABLE, "lint", "--log", str(log), "--fail-on", "warning"], capture_output=True,
                              text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_each_is_run(self):
        self.assertEqual(set(PROVIDERS), set(COMMANDS))
        for name, command in COMMANDS.items():
            if name in OPTIONAL and not shutil.which(command[0]):
                continue
            with self.subTest(name):
                if name == "push.swift" and not can_mount():
                    subprocess.run(["swiftc", "-typecheck", PROVIDERS[name]], check=True, timeout=PATIENCE)
                else:
                    self.check(*command, str(PROVIDERS[name]))

    @unittest.skipUnless(os.environ.get("SWIFT_PACKAGE"), "its packages take minutes to build; SWIFT_PACKAGE=1 does it")
    def test_the_swift_package_is_run(self):
        package = ["--package-path", str(SWIFT_PACKAGE), "--scratch-path", str(ROOT / ".build/recipe")]
        subprocess.run(["swift", "build", *package], check=True)
        self.check("swift", "run", *package, "--skip-build", "push")

    @unittest.skipUnless(os.environ.get("SWIFT_PACKAGE"), "its packages take minutes to build; SWIFT_PACKAGE=1 does it")
    def test_the_tests_in_swift_are_run(self):
        package = ["--package-path", str(SWIFT_TESTS), "--scratch-path", str(ROOT / ".build/recipe-tests")]
        tested = subprocess.run(["swift", "test", *package], capture_output=True, text=True)
        self.assertEqual(tested.returncode, 0, tested.stdout + tested.stderr)
        self.assertIn("Test run with 1 test", tested.stdout)


def can_mount():
    """Whether this user may show a program another file than the one that is there."""
    return bool(shutil.which("unshare")) and subprocess.run(MOUNT, capture_output=True).returncode == 0


if __name__ == "__main__":
    unittest.main()
