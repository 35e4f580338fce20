"""`make one`, with stand-ins for what it installs, builds and runs: what each form of T comes to, and what a wrong one is
told."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from server import PATIENCE, ROOT

# Prints where it runs, its name and its words.
TOLD = '#!/bin/sh\necho "${PWD#$ROOT/}: ${0##*/} $*"\n'
FILES = ("Tests/EndToEnd/commands/test_exec.py", "Tests/Documentation/test_documentation.py",
         "Clients/python/tests/test_apns.py", "Clients/python/tests/test_documentation.py", "Clients/python/examples/push.py")


class One(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-one-"))).resolve()
        self.write("Makefile", (ROOT / "Makefile").read_text())
        shutil.copytree(ROOT / ".ci", self.folder / ".ci")
        (self.folder / ".ci/packages").write_text("#!/bin/sh\n")
        for file in FILES:
            self.write(file, "")
        self.write("Tests/MockAPNSCoreTests/ExampleTests.swift", "@Suite struct ExampleTests {\n    @Test func works() {}\n}\n")
        for file in "Tests/requirements.txt", "Clients/python/tests/requirements.txt", "Clients/python/pyproject.toml":
            self.write(file, "")
        for command in "bin/swift", ".build/end-to-end/bin/pytest", ".build/python/bin/pytest":
            self.write(command, TOLD).chmod(0o755)
        for made in ".build/end-to-end/made", ".build/python/made":
            self.write(made, "")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def one(self, test, **variables):
        """What `make one` prints, and its exit code."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS", "MOCK_APNS"))}
        done = subprocess.run(
            ["make", "--no-print-directory", "one", *([] if test is None else [f"T={test}"])], cwd=self.folder,
            env={**inherited, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "ROOT": str(self.folder), **variables},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
        return done.stdout.replace(f"{self.folder}/./", ""), done.returncode

    def test_in_swift(self):
        for test in "ExampleTests", "ExampleTests/works()", "MockAPNSCoreTests.ExampleTests", "MockAPNSCoreTests", "works":
            with self.subTest(test):
                self.assertEqual(self.one(test), (f"{self.folder}: swift test --filter {test}\n", 0))

    def test_in_python(self):
        built = f"{self.folder}: swift build --product mock-apns\n"
        for test, folder, words in (
            (FILES[0], "Tests", FILES[0]),
            (str(self.folder / FILES[0]), "Tests", FILES[0]),
            ("EndToEnd/commands/test_exec.py::Exec::test_it", "Tests", f"{FILES[0]}::Exec::test_it"),
            ("test_exec.py::test_it", "Tests", f"{FILES[0]} -k test_it"),
            ("python/tests/test_apns.py::test_it[a b]", "Clients/python", f"{FILES[2]}::test_it[a b]"),
            ("tests/test_documentation.py", "Clients/python", FILES[3]),
        ):
            with self.subTest(test):
                self.assertEqual(self.one(test), (f"{built}{folder}: pytest {words}\n", 0))

    def test_another_executable(self):
        for test, command in ("test_exec.py", "end-to-end"), ("test_apns.py", "python"):
            self.write(f".build/{command}/bin/pytest", '#!/bin/sh\necho "$MOCK_APNS $MOCK_APNS_EXECUTABLE"\n')
            self.assertEqual(self.one(test, MOCK_APNS="/a/file"), ("/a/file /a/file\n", 0))

    def test_the_exit_code_is_that_of_the_test(self):
        self.write(".build/end-to-end/bin/pytest", "#!/bin/sh\nexit 1\n")
        self.assertIn("Error 1\n", self.one("test_exec.py", MOCK_APNS="/a/file")[0])

    def test_what_is_wrong_is_one_sentence(self):
        self.write(".build/end-to-end/bin/pytest", "#!/bin/sh\nexit 5\n")
        for test, sentence in (
            (None, "T has to name a test: T=EndToEnd/commands/test_exec.py::NAME for one in Python, T=ScreenTableTests for a "
                   "suite in Swift."),
            ("NoTests", "Nothing in Tests is called NoTests; a test in Python needs the path of its file, up to .py."),
            ("Clients/test_no.py", "There is no Clients/test_no.py with tests below Tests or Clients."),
            (FILES[4], f"There is no {FILES[4]} with tests below Tests or Clients."),
            ("test_documentation.py", f"More than one file is called test_documentation.py: ./{FILES[1]} ./{FILES[3]}"),
        ):
            with self.subTest(test):
                output, code = self.one(test)
                self.assertNotEqual(code, 0)
                said, _, rest = output.partition("\n")
                self.assertEqual(said, sentence)
                self.assertRegex(rest, r"^make: \*\*\* .* Error 64\n$")
        self.assertIn("No test in test_exec.py is called test_no.\n", self.one("test_exec.py::test_no", MOCK_APNS="/a/file")[0])


if __name__ == "__main__":
    unittest.main()
