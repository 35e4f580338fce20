"""The files of Clients/testcontainers: each is compiled and run with a stand-in for Testcontainers that has the part of its API
that they use, and starts the entry point of the image, with its ports published under others."""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import containers
from copies import CLIENTS, FOLDERS, JAVA_PACKAGE, NODE_PACKAGE
from junit5 import javac, junit
from server import PATIENCE, ROOT, until

STAND_INS = ROOT / "Tests/Testcontainers"
FILES = FOLDERS["testcontainers"]
GO = f"""
module notifications
go 1.18
require (
    github.com/testcontainers/testcontainers-go v0.42.0
    mock-apns.example/go v0.0.0
)
replace github.com/testcontainers/testcontainers-go => {STAND_INS}/go
replace mock-apns.example/go => {CLIENTS}/go
"""
JAVA_SOURCES = f"{JAVA_PACKAGE}:{STAND_INS}/java"
JAVA = f"""
    {shlex.join(javac("classes", "-sourcepath", JAVA_SOURCES, "-Xlint:unchecked,rawtypes", "-Werror", "ContainerTest.java"))}
    exec {shlex.join(junit("classes", "-c", "ContainerTest"))}
"""
# How each is run, and where it has the type of its push.
COMMANDS = {
    "container_test.go": (["sh", "-euc", "go vet . && exec go test -count=1 ."], '"Apns-Push-Type": {"alert"}'),
    "ContainerTest.java": (["sh", "-euc", JAVA], '"apns-push-type", "alert"'),
    "container.test.mjs": (["node", "--test", "container.test.mjs"], '"apns-push-type": "alert"'),
}


@unittest.skipUnless(containers.allowed(), "user namespaces are not allowed here")
class Testcontainers(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-testcontainers-")))
        (self.folder / "tmp").mkdir()
        engine = self.folder / "engine"
        engine.write_text(f'#!/bin/sh\nexec {sys.executable} {containers.__file__} "$@"\n')
        engine.chmod(0o755)
        (self.folder / "go.mod").write_text(GO)
        (self.folder / "node_modules").mkdir()
        (self.folder / "node_modules/mock-apns").symlink_to(NODE_PACKAGE)
        (self.folder / "node_modules/testcontainers").symlink_to(STAND_INS / "node")
        self.environment = {
            # Without the command: the container is all there is.
            **{name: value for name, value in os.environ.items() if name == "MOCK_APNS" or not name.startswith("MOCK_APNS")},
            "ENGINE": str(engine), "TMPDIR": str(self.folder / "tmp"), "GOCACHE": str(ROOT / ".build/go"), "GOFLAGS": "-mod=mod",
        }

    def run_file(self, name):
        """Runs a file in the folder, where it is copied to."""
        if not (self.folder / name).exists():
            shutil.copy(FILES / name, self.folder)
        done = subprocess.run(COMMANDS[name][0], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
        until(lambda: not list((self.folder / "tmp").glob("mock-apns-container-*")), lambda: "the container goes on")
        return done.returncode, done.stdout

    def check(self, name):
        code, output = self.run_file(name)
        self.assertEqual(code, 0, output)
        # With a provider whose push is refused.
        file, pushed = self.folder / name, COMMANDS[name][1]
        text = file.read_text()
        self.assertEqual(text.count(pushed), 1)
        file.write_text(text.replace(pushed, pushed.replace("alert", "none")))
        code, output = self.run_file(name)
        self.assertNotEqual(code, 0, output)
        self.assertIn("InvalidPushType", output)

    def test_go(self):
        self.check("container_test.go")

    def test_java(self):
        self.check("ContainerTest.java")

    def test_node(self):
        self.check("container.test.mjs")

    def test_each_is_run(self):
        self.assertEqual({file.name for file in FILES.iterdir()}, set(COMMANDS))


if __name__ == "__main__":
    unittest.main()
