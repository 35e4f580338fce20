"""The JSON Schema of scenarios, and `mock-apns check`: both have to say the same of every file in Tests/Scenarios, of
every pair of keys in a step, and of hundreds of files that were spoiled at random. SEED repeats those. The keys and words
of the schema are those of the sources.
"""

import copy
import itertools
import json
import os
import pathlib
import random
import re
import subprocess
import tempfile
import unittest

import jsonschema

from server import EXECUTABLE, PATIENCE, ROOT
from texts import ARTICLES

CORPUS = ROOT / "Tests/Scenarios"
LIBRARY = sorted((ROOT / "scenarios").glob("*.json"))
MUTATIONS = 400
SEED = int(os.environ.get("SEED") or random.randrange(1 << 32))
SCHEMA = json.loads((ROOT / "scenarios/scenario.schema.json").read_text())
CORE, MODEL = ROOT / "Sources/MockAPNSCore", ROOT / "Sources/MockAPNSModel"
READING = ROOT / "Sources/MockAPNSScenario/Reading"
READER = sorted(READING.glob("*.swift"))
TRIGGERS = ("push", "connect", "ping", "broadcast", "channels")
# A good value of each key of a step.
STEP = {
    "pass": True, "reject": "BadTopic", "respond": {"status": 418}, "stall": True, "resetStream": "CANCEL",
    "goAway": {"reason": "Shutdown"}, "close": "end", "outage": {"reason": "Shutdown", "for": "1m"},
    "hostile": "emptyBody", "tlsAlert": "unknown_ca", "serverCertificate": "expired", "ignore": True, "status": 503,
    "timestamp": 0, "delay": "1s", "drip": {"bytes": 1, "every": "1ms"}, "deliver": True, "retryAfter": 1,
    "settings": {"maxConcurrentStreams": 1}, "device": {"online": False},
}


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


def cases(text):
    """The enums of Swift code that name the keys of an object or the values of a string: enum -> words."""
    for name, body in re.findall(r"enum (\w+): String,[^{\n]*(?:CaseIterable|MockAPNSWord) \{([^{}]*)", text):
        words = set()
        for line in re.sub(r"//.*", "", body).replace("\n", " ").split("case ")[1:]:
            for word in line.split(","):
                if match := re.match(r"`?(\w+)`?(?: = \"([^\"]*)\")?", word.strip()):
                    words.add(match[2] or match[1])
        yield name, words


def objects(schema):
    """The keys of every object in a schema."""
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            yield set(schema["properties"]) - {"$comment"}
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            yield from objects(part)


class Sources(unittest.TestCase):
    """The schema has the keys and the words of the sources: whoever adds one there is told to add it here."""

    def definition(self, name):
        return SCHEMA["$defs"][name]

    def words(self, name):
        return set(self.definition(name)["enum"]) - {None}

    def source(self, name):
        return next(CORE.rglob(name)).read_text()

    def test_keys(self):
        steps = set().union(*(self.definition(f"{kind}Step")["properties"] for kind in ("push", "connect", "ping")))
        steps -= {"$comment"}
        # A change by the timeline names the device in its own way.
        change = {"device"} | set(self.definition("deviceChange")["properties"]) - {"$comment"}
        known = [*objects(SCHEMA), steps, change]
        found = [(file.name, name, keys) for file in READER for name, keys in cases(file.read_text())]
        self.assertGreater(len(found), 25)
        for file, name, keys in found:
            with self.subTest(file, enum=name, keys=sorted(keys)):
                self.assertIn(keys, known, "no object of the schema has these keys")

    def test_reasons(self):
        reasons = re.findall(r'case \w+ = "(\w+)"', (MODEL / "Reason.swift").read_text())
        self.assertGreater(len(reasons), 30)
        self.assertEqual(self.definition("reason")["enum"], reasons)
        self.assertEqual(self.words("reasonMatcherScalar"), set(reasons))
        self.assertEqual(SCHEMA["properties"]["responses"]["properties"]["invalidJSON"]["enum"], ["accept", *reasons])

    def test_push_types(self):
        types = re.findall(r"^        case (\w+)$", (MODEL / "PushType.swift").read_text(), re.MULTILINE)
        self.assertGreater(len(types), 10)
        self.assertEqual(self.words("pushTypeMatcherScalar"), set(types))

        push = self.definition("workloadEntry")["properties"]["push"]["properties"]
        self.assertEqual(set(push["pushType"]["enum"]), set(types))

        page = ROOT / "Sources/MockAPNSAdmin/Page"
        searched = re.search(r"type: \['push type', words\('([^']+)'\)\]", (page / "parts/completion.js").read_text())
        self.assertEqual(set(searched[1].split()), set(types))
        suffixes = re.search(r"const SUFFIXES = \{(.*?)\};", (page / "views/send.js").read_text(), re.S)
        self.assertEqual(set(re.findall(r"(\w+): '", suffixes[1])), set(types))

    def test_deciders(self):
        words = re.findall(r"^        case (\w+)$", (MODEL / "DecidedBy.swift").read_text(), re.MULTILINE)
        known = "|".join([*(word for word in words if word != "rule"), r"rule:[\s\S]*"])
        self.assertEqual(self.definition("deciderMatcherScalar")["pattern"], f"^({known})$")

    def test_needs_of_drivers(self):
        needs = dict(cases(re.sub(r" *///.*", "", self.source("WorkloadEntry.swift"))))["DriverNeed"]
        self.assertEqual(set(SCHEMA["properties"]["needs"]["items"]["enum"]), needs)
        shown = {row[0].strip("`") for row in ARTICLES["Suite"].rows("need")}
        self.assertEqual(shown, needs)

    def test_ways_of_hostile(self):
        ways = dict(cases((MODEL / "Hostility.swift").read_text()))["Hostility"]
        self.assertEqual(set(self.definition("pushStep")["properties"]["hostile"]["enum"]), ways)

    def test_fields(self):
        fields = re.findall(r"^        case (\w+)$", (MODEL / "RequestField.swift").read_text(), re.MULTILINE)
        self.assertEqual(set(self.definition("field")["enum"]), set(fields))


class Schema(unittest.TestCase):
    def test_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_agrees_on_all_pairs_of_step_keys(self):
        reader = (READING / "ScenarioReader+Steps.swift").read_text()
        self.assertEqual(set(STEP), next(keys for name, keys in cases(reader) if name == "Key"))
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for trigger in TRIGGERS:
            for first, second in itertools.combinations_with_replacement(STEP, 2):
                rule = {"when": {"on": trigger}, "then": {key: STEP[key] for key in (first, second)}}
                (folder / f"{trigger}-{first}-{second}.json").write_text(json.dumps({"rules": [rule]}))
        files = sorted(folder.iterdir())
        done = subprocess.run([EXECUTABLE, "check", "--json", *files], capture_output=True, text=True, timeout=PATIENCE)
        mistakes = [json.loads(line) for line in done.stdout.splitlines()]
        wrong = {mistake["file"] for mistake in mistakes if not mistake["crossReference"]}
        for file in files:
            with self.subTest(file.stem):
                self.assertEqual(is_valid(file), str(file) not in wrong)
        self.assertTrue(0 < len(wrong) < len(files))

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

    def test_agrees_on_the_bounds_of_what_is_sent(self):
        def respond(**members):
            return {"respond": {"status": 200, **members}}

        # The files of issue reports, and both sides of each bound that a schema can tell: step, whether it is good, and
        # whether the schema knows. Of several fields it does not see the sum.
        cases = {
            "long-field-name": (respond(headers={"x" * 65_536: "1"}), False, True),
            "many-fields": (respond(headers={f"x-{n}": "v" * 8000 for n in range(10)}), False, False),
            "long-goaway-text": ({"goAway": {"text": "t" * 20_000, "then": "close"}}, False, True),
            "name": (respond(headers={"x" * 16_352: ""}), True, True),
            "name-beyond": (respond(headers={"x" * 16_353: ""}), False, True),
            "body": (respond(body="b" * (1 << 20)), True, True),
            "body-beyond": (respond(body="b" * ((1 << 20) + 1)), False, True),
            "text": ({"goAway": {"text": "t" * 16_376}}, True, True),
            "text-beyond": ({"goAway": {"text": "t" * 16_377}}, False, True),
            "frames": ({"goAway": [{}] * 100}, True, True),
            "frames-beyond": ({"goAway": [{}] * 101}, False, True),
            "codes": ({"resetStream": [7] * 100}, True, True),
            "codes-beyond": ({"resetStream": [7] * 101}, False, True),
        }
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name, (step, is_good, schema_knows) in cases.items():
            file = folder / f"{name}.json"
            file.write_text(json.dumps({"rules": [{"then": step}]}))
            done = subprocess.run([EXECUTABLE, "check", file], capture_output=True, text=True, timeout=PATIENCE)
            with self.subTest(name):
                self.assertEqual(done.returncode, 0 if is_good else 65, done.stderr)
                self.assertEqual(is_valid(file), is_good or not schema_knows)
                if not is_good:
                    self.assertRegex(done.stderr, r"^.*\.json:1:[0-9]+: .*[0-9]")
                    self.assertLess(len(done.stderr), 1000)

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
