"""The package for Go, Clients/go: its own tests, what its README says, and how it ends with `go test`."""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

from server import EXECUTABLE, PATIENCE, ROOT, until
from texts import Text

PACKAGE = ROOT / "Clients/go"
README = Text(PACKAGE / "README.md")
IMPORT = "mock-apns.example/go/mockapns"


@unittest.skipIf(sys.platform != "linux" and not shutil.which("go"), "go is not installed")
class GoPackage(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="go-package-")))
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("MOCK_APNS")},
            "MOCK_APNS_EXECUTABLE": EXECUTABLE, "GOCACHE": str(ROOT / ".build/go"), "GOFLAGS": "-mod=mod", "GOPROXY": "off",
            "TMPDIR": str(self.folder),
        }

    def run_in(self, folder, *command, **variables):
        done = subprocess.run(command, cwd=folder, env={**self.environment, **variables}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_its_own_tests(self):
        self.run_in(PACKAGE, "go", "test", "-count=1", "./tests")

    def test_its_form(self):
        self.assertEqual(self.run_in(PACKAGE, "gofmt", "-l", "."), "")
        for system in ("linux", "darwin", "windows"):
            self.run_in(PACKAGE, "go", "vet", "./mockapns", GOOS=system)
        for command in ("vet", "build"):
            self.run_in(PACKAGE, "go", command, "./...")
        self.assertEqual(self.run_in(PACKAGE, "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}",
                                     "./mockapns").split(), [IMPORT])

    def test_the_readme(self):
        """Its tests run in a user's module, by both ways in which the package gets there."""
        copy, replace = README.unmarked("sh")
        tests = dict(zip(re.findall(r"into `(\w+_test\.go)`", README.prose), README.unmarked("go"), strict=True))
        for name, command, path in (("copied", copy, "example.com/provider/internal/mockapns"), ("replaced", replace, IMPORT)):
            with self.subTest(name):
                module = self.folder / name / "provider"
                module.mkdir(parents=True)
                (module.parent / "mock-apns").symlink_to(ROOT)
                (module / "go.mod").write_text("module example.com/provider\n\ngo 1.18\n")
                for file, test in tests.items():
                    (module / file).write_text(test.replace(IMPORT, path))
                self.run_in(module.parent if command is copy else module, "sh", "-euc", command)
                self.run_in(module, "go", "vet", "./...")
                self.run_in(module, "go", "test", "-count=1", "./...")
        self.assertLessEqual(README.text.count("\n"), 150)

    def test_the_readme_names_what_there_is(self):
        shown = self.run_in(PACKAGE, "go", "doc", "-all", "./mockapns")
        for name in set(re.findall(r"`(?:mockapns\.|apns\.)?([A-Z]\w+)\b", README.prose)) - {"MOCK_APNS_EXECUTABLE", "MOCK_APNS_ADMIN_URL"}:
            self.assertRegex(shown, rf"\b{name}\b")

    def test_everything_public_is_described(self):
        for file in (PACKAGE / "mockapns").glob("*.go"):
            lines = file.read_text().splitlines()
            for before, line in zip(["", *lines], lines):
                if re.match(r"(func (\([^)]*\) )?|type |var )[A-Z]", line):
                    self.assertTrue(before.startswith("// "), f"{file.name}: {line}")

    def test_it_ends_with_go_test(self):
        """All of it is killed, as by a CI system, or interrupted, as by Control-C."""
        for number in (signal.SIGKILL, signal.SIGINT):
            with self.subTest(number), subprocess.Popen(
                    ["go", "test", "-count=1", "-run", "^TestRunner$"], cwd=PACKAGE / "tests", env={**self.environment, "ENDING": "timeout"},
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True, text=True) as runner:
                servers = [re.search(r"server (\d+) (.*):(\d+)", runner.stdout.readline()) for _ in range(2)]
                os.killpg(runner.pid, number)
                for found in servers:
                    until(lambda: not is_there(int(found[1])), lambda: "a server is left")
                    with socket.socket() as client:
                        self.assertNotEqual(client.connect_ex((found[2], int(found[3]))), 0)
                until(lambda: not list(self.folder.glob("mock-apns-*")), lambda: "a folder is left")


def is_there(process):
    """Whether a process runs. A zombie, as in a container, does not."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    stat = pathlib.Path(f"/proc/{process}/stat")
    return not (stat.exists() and ") Z " in stat.read_text())


if __name__ == "__main__":
    unittest.main()
