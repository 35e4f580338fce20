"""Scenarios that are built in: by name wherever a scenario is named, and printed by `mock-apns scenario`."""

import json
import pathlib
import subprocess
import tempfile
import unittest

from server import EXECUTABLE, PATIENCE, ROOT, Server

TOUR = ROOT / "scenarios/tour.json"


class BuiltInScenarios(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-")))

    def run_in_folder(self, *words):
        return subprocess.run([EXECUTABLE, *words], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=PATIENCE)

    def exec_with(self, scenario):
        """What exec prints of a command that pushes nothing."""
        return self.run_in_folder("exec", "--certs", Server._certs(), "--scenario", scenario, "--", "true")

    def assert_failed(self, done, code, text):
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertIn(text, done.stderr)

    def test_exec_plays_one_by_its_name(self):
        self.assert_failed(self.exec_with("tour"), 1, "FAILED  tried again until it worked")

    def test_serve_replays_named_scenarios_after_a_hangup(self):
        with Server("--scenario", "tour") as server:
            server.until_said("tour")
            server.process.send_signal(1)
            server.until_said("Certificates, keys and scenario were reloaded")

    def test_files_but_not_folders_take_precedence(self):
        (self.folder / "tour").mkdir()
        self.assert_failed(self.exec_with("tour"), 1, "tried again until it worked")
        (self.folder / "tour").rmdir()
        (self.folder / "tour").write_text('{"expect": [{"name": "mine", "requests": {}, "count": 1}]}')
        self.assert_failed(self.exec_with("tour"), 1, "FAILED  mine")
        self.assert_failed(self.exec_with("./tour"), 1, "FAILED  mine")

    def test_errors_for_unknown_scenarios_name_existing_ones(self):
        neither = 'There is neither a file nor a built-in scenario "{}"'
        self.assert_failed(self.exec_with("tuor"), 69, neither.format("tuor") + '; did you mean "tour"? mock-apns scenario lists')
        done = self.exec_with("something-else-entirely-of-mine")
        self.assert_failed(done, 69, neither.format("something-else-entirely-of-mine") + ". Built in are accepted-after-uninstall, ")
        self.assertIn(" two-teams, ", done.stderr)
        (self.folder / "mine.json").write_text("{}")
        self.assert_failed(self.exec_with("mine"), 69, neither.format("mine") + '; did you mean "mine.json"?')
        self.assert_failed(self.run_in_folder("scenario", "./mine.json"), 69, "./mine.json is a file; what is expected is the name of a")
        self.assert_failed(self.exec_with("tour.json"), 69, "There is no file tour.json; the name alone, tour, is that of a built-in")
        prints = "There is no file tour; mock-apns scenario tour prints the built-in scenario."
        self.assert_failed(self.run_in_folder("check", "tour"), 69, prints)

    def test_other_commands_take_the_name_as_well(self):
        log = self.folder / "log.jsonl"
        words = ["exec", "--quiet", "--certs", Server._certs(), "--log", str(log), "--", "true"]
        self.assertEqual(self.run_in_folder(*words).returncode, 0)
        self.assert_failed(self.run_in_folder("verify", "--log", str(log), "tour"), 1, "FAILED  tried again until it worked")
        self.assert_failed(self.run_in_folder("verify", "--log", str(log), "tuor"), 69, 'did you mean "tour"?')
        self.assert_failed(self.run_in_folder("lint", "--log", str(log), "--scenario", "tour"), 1, "nothing to judge")
        with Server("--scenario", "tour") as server:
            self.assert_failed(self.run_in_folder("verify", "--admin", server.admin, "tour"), 1, "FAILED  tried again")

    # mock-apns scenario

    def test_scenarios_and_the_schema_are_printed_verbatim(self):
        for words, file in (["tour"], TOUR), (["--schema"], TOUR.with_name("scenario.schema.json")):
            done = self.run_in_folder("scenario", *words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout, file.read_text())
        self.assert_failed(self.run_in_folder("scenario", "tuor"), 69, 'did you mean "tour"?')
        self.assert_failed(self.run_in_folder("scenario", "tour.json"), 69, 'did you mean "tour"?')

    def test_it_lists_them_with_what_they_are_about(self):
        lines = self.run_in_folder("scenario").stdout.splitlines()
        names = [line for line in lines if not line.startswith(" ")]
        self.assertEqual(names, sorted(file.stem for file in TOUR.parent.glob("*.json") if file.stem != "scenario.schema"))
        # Of several sentences the first.
        for name in "tour", "retry-after":
            description = json.loads(TOUR.with_name(f"{name}.json").read_text())["description"]
            told = lines[lines.index(name) + 1]
            self.assertEqual(told[:2] + told[-1], "  .")
            self.assertTrue(description.startswith(told[2:]), told)
            self.assertNotIn(". ", told)

    def test_first_sentences_say_which_story_it_is(self):
        """The list shows these alone."""
        files = [file for file in TOUR.parent.glob("*.json") if file.stem != "scenario.schema"]
        first = {file.stem: json.loads(file.read_text())["description"].partition(". ")[0] for file in files}
        self.assertGreater(len(first), 90)
        for name, sentence in sorted(first.items()):
            with self.subTest(name):
                same = [other for other, its in first.items() if its.casefold() == sentence.casefold()]
                self.assertEqual(same, [name])
                self.assertGreater(len(sentence.split()), 6, sentence)
                self.assertLessEqual(len(sentence), 200, sentence)

    def test_what_is_printed_is_a_scenario(self):
        file = self.folder / "mine.json"
        file.write_text(self.run_in_folder("scenario", "tour").stdout)
        done = self.run_in_folder("check", "mine.json")
        self.assertEqual((done.returncode, done.stdout), (0, "mine.json: no mistakes\n"))


if __name__ == "__main__":
    unittest.main()
