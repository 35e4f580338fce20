"""The drivers of the article Suite, one for each client: what comes of each story is as driver_failures.json says, and the
article says the same. Those in FAST play all stories, the others a few; ALL_STORIES=1 has all of them play all.
"""

import os
import re
import shutil
import sys
import unittest
import warnings

import copies
import suite_table
from suite_drivers import DRIVERS, FAILURES, STORIES
from server import PATIENCE
from test_recipes import can_mount
from texts import ARTICLES

FAST = ("driver.go", "driver.php", "driver.rb")
# With pushes to try again, dead device tokens, a provider token to renew, and a connection to leave.
FEW = ("goaway-twice", "one-token-for-all", "which-reasons-remove-a-token")
ARTICLE = ARTICLES["Suite"]
# What does not count as a line of a driver: empty lines, comments, and what only closes something.
BESIDE = re.compile(r"^\s*([])}(]*[,;]?|(//|#).*|end|done|esac)$")


def lines(text):
    """How long a driver is, without the provider above it, which signs and connects."""
    driver = text.partition(" The driver.\n")[2]
    return len([line for line in driver.splitlines() if not BESIDE.match(line)])


class Drivers(unittest.TestCase):
    def check(self, driver):
        command = (driver.build or driver.run)[0]
        if sys.platform != "linux" and not shutil.which(command):
            self.skipTest(f"there is no {command}")
        if driver.path.name == "driver.swift" and not can_mount():
            self.skipTest("only root may show a program another file than the one that is there")
        names = STORIES if os.environ.get("ALL_STORIES") or driver.path.name in FAST else FEW
        stories = driver.play(names, "--jobs", "6", "--timeout", f"{PATIENCE}s")
        outcomes = {story: result["outcome"] for story, result in stories.items()}
        expected = {story: outcome for story, outcome in driver.expected().items() if story in names}
        reasons = {story: result["reason"] for story, result in stories.items() if result["reason"]}
        self.assertEqual(outcomes, expected, reasons)
        for story, result in stories.items():
            if "first" in result:
                warnings.warn(f"{driver.path.name} played {story} twice; at first {result['first']}", stacklevel=2)

    def test_each_is_short(self):
        self.assertEqual(set(copies.DRIVERS), set(DRIVERS))
        for name, file in copies.DRIVERS.items():
            with self.subTest(name):
                self.assertIn(lines(file.read_text()), range(20, 41))

    def test_the_article_has_what_they_pass(self):
        self.assertIn(suite_table.reasons(), ARTICLE.text)
        rows = {re.match(r"\[(.*?)\]", row[0])[1]: row[3:] for row in ARTICLE.rows("driver")}
        self.assertEqual(set(rows), set(DRIVERS))
        for name, driver in DRIVERS.items():
            with self.subTest(name):
                self.assertEqual(rows[name], suite_table.counts(driver.expected()))

    def test_the_article_shows_one(self):
        shown = ARTICLE.named_blocks("driver")
        self.assertTrue(shown)
        for name, text in shown.items():
            self.assertEqual(text, DRIVERS[name].path.read_text())

    def test_failures_are_of_stories_that_are_played(self):
        for name, failed in FAILURES.items():
            outcomes = DRIVERS[name].expected()
            self.assertEqual({story for story in failed if outcomes.get(story) == "failed"}, set(failed), name)


# A test for each driver.
for _driver in DRIVERS.values():
    setattr(Drivers, f"test_{_driver.path.name.replace('.', '_')}", lambda self, driver=_driver: self.check(driver))


if __name__ == "__main__":
    unittest.main()
