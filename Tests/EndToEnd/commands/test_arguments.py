"""The arguments reach the command, and its wrapped command, byte by byte."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from server import EXECUTABLE, PATIENCE, ROOT

# What no text is: bytes that are not UTF-8, a lone continuation byte, half of a character, a surrogate.
BYTES = [b"\xff", b"a\xffb", b"\x80", b"\xc3", b"\xed\xa0\x80", b"caf\xe9", "é".encode(), b"", b" ", b"-x", b"--"]
# Prints the arguments of a program and one variable, as JSON.
ECHO = """
import json, os, sys
print(json.dumps([[os.fsencode(word).hex() for word in sys.argv[1:]], os.environb.get(b"ODD", b"").hex()]))
"""


class Arguments(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-")))

    def run_command(self, *words, wrap=(), **options):
        # `exec` makes a folder `certs` where it runs.
        return subprocess.run([*wrap, EXECUTABLE, *words], cwd=self.folder, capture_output=True, timeout=PATIENCE, **options)

    def assert_refused(self, done, *texts):
        told = done.stderr.decode()
        self.assertEqual(done.returncode, 64, told)
        for text in texts:
            self.assertIn(text, told)

    # exec

    def test_exec_passes_arguments_and_environment_on_unchanged(self):
        for value in "plain", b"odd \xff":
            environment = {**os.environb, b"ODD": os.fsencode(value), b"TAKEN": b"1"}
            done = self.run_command("exec", "--quiet", "--", sys.executable, "-c", ECHO, *BYTES, env=environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            words, odd = json.loads(done.stdout)
            self.assertEqual([bytes.fromhex(word) for word in words], BYTES)
            self.assertEqual(bytes.fromhex(odd), os.fsencode(value))

    def test_exec_sets_its_variables_in_odd_environments(self):
        command = "import os; print(os.environ['MOCK_APNS_URL'], os.environ.get('MOCK_APNS_OPTIONS'))"
        environment = {**os.environb, b"ODD": b"\xff", b"MOCK_APNS_OPTIONS": b"--quiet", b"MOCK_APNS_URL": b"mine"}
        done = self.run_command("exec", "--", sys.executable, "-c", command, env=environment)
        self.assertRegex(done.stdout.decode(), r"\Ahttps://127\.0\.0\.1:\d+ None\n\Z")

    def test_variable_options_do_not_shift_the_command(self):
        environment = {**os.environb, b"MOCK_APNS_OPTIONS": b"--quiet --log-limit 7"}
        done = self.run_command("exec", "--no-page", "--", sys.executable, "-c", ECHO, b"\xfe", env=environment)
        self.assertEqual(json.loads(done.stdout)[0], ["fe"], done.stderr)

    def test_a_command_whose_name_is_not_text(self):
        script = os.path.join(os.fsencode(self.folder), b"caf\xe9")
        with open(script, "w") as file:
            file.write("#!/bin/sh\nexit 3\n")
        os.chmod(script, 0o755)
        done = self.run_command("exec", "--", script)
        self.assertEqual(done.returncode, 127)
        self.assertIn(r"caf\xE9 cannot be started", done.stderr.decode())
        self.assertIn("env", done.stderr.decode())
        self.assertEqual(self.run_command("exec", "--", "env", script).returncode, 3)

    # suite

    def test_suite_passes_the_arguments_of_its_driver_on(self):
        told = self.folder / "told"
        driver = self.folder / "driver.py"
        driver.write_text(f"import os, sys\nopen({str(told)!r}, 'wb').write(b'|'.join(map(os.fsencode, sys.argv[1:])))\n")
        self.run_command("suite", "--only", "tour", "--", sys.executable, str(driver), b"\xff", b"caf\xe9")
        self.assertEqual(told.read_bytes(), b"\xff|caf\xe9")

    # Names of files

    def test_file_names_that_are_not_text_are_refused(self):
        name = os.path.join(os.fsencode(self.folder), b"caf\xe9.json")
        with open(name, "w") as file:
            file.write("{}")
        for words in (
            ["check", name], ["lint", name], ["serve", "--port", "0", "--scenario", name], ["exec", "--scenario", name, "--", "true"],
            ["verify", "--log", name, "x.json"], ["suite", name, "--", "true"], ["certs", "--certs", name], ["check", "--", name],
            [b"serv\xe9"],
        ):
            with self.subTest(words=words):
                self.assert_refused(self.run_command(*words), r"\xE9", "is not UTF-8")

    # Without /proc

    @unittest.skipUnless(sys.platform == "linux", "only Linux has /proc")
    def test_without_proc(self):
        wrap = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
        if subprocess.run([*wrap, "true"], capture_output=True).returncode != 0:
            self.skipTest("a mount namespace needs root")
        # The runtime would end the process at any moment (libdispatch), so it does not begin.
        for words in ["nonsense"], ["--version"], ["check", str(ROOT / "scenarios/tour.json")], ["exec", "--", "true"]:
            done = self.run_command(*words, wrap=wrap)
            self.assertEqual((done.returncode, done.stdout), (69, b""), words)
            self.assertIn(b"There is no /proc", done.stderr)
