"""The JSON Schema of scenarios, and `mock-apns check`: both have to say the same of every file in Tests/Scenarios."""

import json
import subprocess
import unittest

import jsonschema

from server import EXECUTABLE, ROOT

CORPUS = ROOT / "Tests/Scenarios"
SCHEMA = json.loads((ROOT / "scenarios/scenario.schema.json").read_text())


def is_valid(path):
    """Whether the schema has nothing against a file; one that is not JSON is not valid."""
    try:
        value = json.loads(path.read_text())
    except ValueError:
        return False
    return jsonschema.Draft202012Validator(SCHEMA).is_valid(value)


class Schema(unittest.TestCase):
    def test_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_agrees_with_the_corpus(self):
        for path in sorted(CORPUS.glob("*/*.json")):
            # What only cross-references show is no mistake for the schema.
            expected = path.parent.name == "good" or path.name.startswith("cross-")
            with self.subTest(path.name):
                self.assertEqual(is_valid(path), expected)

    def test_check_agrees_with_the_corpus(self):
        known = subprocess.run([EXECUTABLE, "check", CORPUS / "good/empty.json"], capture_output=True, timeout=20)
        if known.returncode == 64:
            self.skipTest("this executable has no check")
        for path in sorted(CORPUS.glob("*/*.json")):
            done = subprocess.run([EXECUTABLE, "check", path], capture_output=True, text=True, timeout=20)
            with self.subTest(path.name):
                self.assertEqual(done.returncode, 0 if path.parent.name == "good" else 65, done.stderr)
                for line in done.stderr.splitlines():
                    self.assertRegex(line, r"^.*\.json:[0-9]+:[0-9]+: .")


if __name__ == "__main__":
    unittest.main()
