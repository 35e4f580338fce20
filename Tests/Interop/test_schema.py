"""The JSON Schema of scenarios, and `mock-apns check`: both have to say the same of every file in Tests/Scenarios, and of
hundreds of files that were spoiled at random. SEED repeats those.
"""

import copy
import json
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

import jsonschema

from server import EXECUTABLE, PATIENCE, ROOT

CORPUS = ROOT / "Tests/Scenarios"
LIBRARY = sorted((ROOT / "scenarios").glob("*.json"))
MUTATIONS = 400
SEED = int(os.environ.get("SEED") or random.randrange(1 << 32))
SCHEMA = json.loads((ROOT / "scenarios/scenario.schema.json").read_text())


def is_valid(path):
    """Whether the schema has nothing against a file; one that is not JSON is not valid."""
    try:
        value = json.loads(path.read_text())
    except ValueError:
        return False
    return jsonschema.Draft202012Validator(SCHEMA).is_valid(value)


def places(value, path=()):
    """The containers of a JSON value with their keys or indices."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield value, key
        yield from places(child, path + (key,))


def mutated(value, chance):
    """A copy in which one thing was changed: a key renamed, a value's type or range, an element doubled or removed."""
    value = copy.deepcopy(value)
    container, key = chance.choice(list(places(value)))
    way = chance.choice(["rename", "type", "range", "remove", "double"])
    if way == "rename" and isinstance(container, dict):
        renamed = key[:-1] or "x" if chance.random() < 0.5 else key + "s"
        container[renamed] = container.pop(key)
    elif way == "remove":
        del container[key]
    elif way == "double" and isinstance(container, list):
        container.insert(key, copy.deepcopy(container[key]))
    elif way == "range" and isinstance(container[key], (int, float, str)):
        container[key] = chance.choice([-1, 0, 2 ** 53, 1.5, "", "x" * 300, "-5s", "5 s", "BadRequest", "2026-13-01"])
    else:
        container[key] = chance.choice([None, True, 7, "text", [], {}, [1], {"a": 1}])
    return value


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
        for path in sorted(CORPUS.glob("*/*.json")):
            done = subprocess.run([EXECUTABLE, "check", path], capture_output=True, text=True, timeout=PATIENCE)
            with self.subTest(path.name):
                self.assertEqual(done.returncode, 0 if path.parent.name == "good" else 65, done.stderr)
                for line in done.stderr.splitlines():
                    self.assertRegex(line, r"^.*\.json:[0-9]+:[0-9]+: .")

    def test_the_library_has_no_mistakes(self):
        for path in LIBRARY:
            if path.name != "scenario.schema.json":
                with self.subTest(path.name):
                    self.assertTrue(is_valid(path))
                    done = subprocess.run([EXECUTABLE, "check", path], capture_output=True, text=True, timeout=PATIENCE)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_agrees_on_spoiled_files(self):
        chance = random.Random(SEED)
        sources = [path for path in LIBRARY if path.name != "scenario.schema.json"] + sorted(CORPUS.glob("good/*.json"))
        values = [value for value in (json.loads(path.read_text()) for path in sources) if value]
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        files = [folder / f"{number:03}.json" for number in range(MUTATIONS)]
        for file in files:
            file.write_text(json.dumps(mutated(chance.choice(values), chance), indent=1))
        done = subprocess.run([EXECUTABLE, "check", "--json", *files], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (65, ""))
        mistakes = [json.loads(line) for line in done.stdout.splitlines()]
        wrong = {mistake["file"] for mistake in mistakes}
        wrong_alone = {mistake["file"] for mistake in mistakes if not mistake["crossReference"]}
        for file in files:
            with self.subTest(seed=SEED, text=file.read_text()[:2000]):
                self.assertEqual(is_valid(file), str(file) not in wrong_alone,
                                 [mistake for mistake in mistakes if mistake["file"] == str(file)])
        # The mutations are worth it: some leave a file good, most do not.
        self.assertTrue(MUTATIONS / 20 < len(files) - len(wrong) < MUTATIONS * 19 / 20)


if __name__ == "__main__":
    unittest.main()
