"""Plays all stories with all drivers of the article Suite, or those that the arguments name, and writes its two tables: what
each passes, and why the others fail. `make suite` runs it. Ends with 1 if anything is not as driver_failures.json says.
"""

import re
import sys
import time

from server import ROOT
from suite_drivers import DRIVERS, FAILURES, STORIES
from texts import CATALOGUE

ARTICLE = CATALOGUE / "Guides/Suite.md"
COUNTS = "| driver | language | client | passed | failed | skipped |\n|---|---|---|---|---|---|\n"
REASONS = "| story | driver | what happens |\n|---|---|---|\n"


def link(path):
    return f"[{path.name}](../../../../{path.relative_to(ROOT)})"


def reasons():
    """The table of failures, story by story."""
    rows = sorted((story, name, reason) for name, failed in FAILURES.items() for story, reason in failed.items())
    return REASONS + "".join(f"| `{story}` | {name} | {reason} |\n" for story, name, reason in rows)


def counts(outcomes):
    """How many stories were passed, failed and skipped."""
    return [str(list(outcomes.values()).count(outcome)) for outcome in ("passed", "failed", "skipped")]


def row(driver, outcomes):
    """The line of a driver in the table of counts."""
    cells = [link(driver.path), driver.language(), driver.client(), *counts(outcomes)]
    return f"| {' | '.join(cells)} |\n"


def main(names):
    rows, as_expected = {}, True
    for name in names or DRIVERS:
        driver = DRIVERS[name]
        begun = time.monotonic()
        stories, expected = driver.play(STORIES, "--jobs", "4", "--timeout", "30s"), driver.expected()
        outcomes = {story: result["outcome"] for story, result in stories.items()}
        print(f"{name}: {counts(outcomes)[0]} passed in {time.monotonic() - begun:.1f} s", flush=True)
        for story, result in stories.items():
            if "first" in result:
                print(f"  played twice: {story} at first {result['first']}", flush=True)
            if result["outcome"] != expected[story]:
                as_expected = False
                print(f"  {result['outcome']}, which was not expected: {story}: {result['reason']}", flush=True)
        rows[name] = row(driver, outcomes)
    text = ARTICLE.read_text()
    # The lines of drivers that were not played stay.
    before = table(text, COUNTS)[len(COUNTS) :].splitlines(keepends=True)
    rows = {**{re.match(r"\| \[(.*?)\]", line)[1]: line for line in before}, **rows}
    text = text.replace(table(text, COUNTS), COUNTS + "".join(rows[name] for name in DRIVERS if name in rows))
    ARTICLE.write_text(text.replace(table(text, REASONS), reasons()))
    return 0 if as_expected else 1


def table(text, head):
    """The table that begins like that."""
    return re.match(r"(\|.*\n)+", text[text.index(head):])[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
