"""`.ci/twice`: what fails beside others is tried once more by itself, and told as FLAKY if it passes then."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from server import PATIENCE, ROOT

# A test, or one of its subtests, that fails until it finds a file.
TEST = """
import pathlib
import unittest

class Example(unittest.TestCase):
    def test_it(self):
        for part in "first", "second":
            with self.subTest(part):
                self.once(part)

    def once(self, part):
        mark = pathlib.Path(__file__).with_name("mark")
        if part == "first" and not mark.exists():
            {then}
            self.fail("an example")
"""
PASSES_THEN = "mark.touch()"
NEVER_PASSES = "pass"


class Twice(unittest.TestCase):
    def run_twice(self, test):
        """What it prints, and its exit code."""
        with tempfile.TemporaryDirectory(prefix="mock-apns-twice-") as name:
            folder = pathlib.Path(name)
            shutil.copy(ROOT / "Tests/conftest.py", folder)
            (folder / "test_example.py").write_text(test)
            done = subprocess.run(
                [ROOT / ".ci/twice", sys.executable, "-m", "pytest", "-q"], cwd=folder, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
            return done.stdout, done.returncode

    def test_a_failed_subtest_is_tried_again(self):
        told, code = self.run_twice(TEST.format(then=PASSES_THEN))
        self.assertIn("FLAKY: test_example.py::Example::test_it", told)
        self.assertEqual(code, 0, told)

    def test_what_fails_by_itself_has_failed(self):
        told, code = self.run_twice(TEST.format(then=NEVER_PASSES))
        self.assertIn("Once more, by themselves:\ntest_example.py::Example::test_it", told)
        self.assertNotIn("FLAKY", told)
        self.assertEqual(code, 1, told)


if __name__ == "__main__":
    unittest.main()
