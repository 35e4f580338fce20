"""Lint of good providers: the reference driver in all stories, and the recipes, have nothing above a note."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from server import EXECUTABLE, PATIENCE, ROOT

REFERENCE = str(ROOT / "Tests/Interop/reference/driver.py")
# A driver that lets another push, and then asks what lint finds.
DRIVER = """
import json, os, pathlib, subprocess, sys, urllib.request
done = subprocess.run([sys.executable, *sys.argv[2:]])
def get(path):
    with urllib.request.urlopen(os.environ["MOCK_APNS_ADMIN_URL"] + path, timeout=60) as answer:
        return json.load(answer)
file = pathlib.Path(sys.argv[1]) / f"{get('/api/v1/scenario')['name']}.json"
file.write_text(json.dumps(get("/api/v1/lint?severity=warning")["findings"]))
sys.exit(done.returncode)
"""


class Stories(unittest.TestCase):
    def test_the_reference_driver_has_nothing_above_a_note(self):
        with tempfile.TemporaryDirectory(prefix="mock-apns-lint-") as folder:
            done = subprocess.run(
                [EXECUTABLE, "suite", "--", sys.executable, "-c", DRIVER, folder, REFERENCE],
                capture_output=True, text=True, timeout=10 * PATIENCE, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            found = {file.stem: json.loads(file.read_text()) for file in pathlib.Path(folder).iterdir()}
        self.assertGreater(len(found), 60)
        for name, findings in sorted(found.items()):
            with self.subTest(name):
                self.assertEqual([f"{each['rule']}: {each['message']}" for each in findings], [])


if __name__ == "__main__":
    unittest.main()
