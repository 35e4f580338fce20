"""The Python code in the documentation is run, and a shown report is the one that comes."""

import dataclasses
import re

import pytest
from conftest import PYTHON, ROOT
# Loaded before a run in this process, which forgets the modules that it has loaded.
from mock_apns import Activity, APNs, Displayed, Finding, HistoryEntry, Stored

ARTICLE = (ROOT / "Sources/MockAPNS/MockAPNS.docc/Guides/PythonTests.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```$", ARTICLE, re.DOTALL | re.MULTILINE)
CONFTESTS = [block for block in BLOCKS if "@pytest.fixture" in block]
TESTS = [block for block in BLOCKS if "def test_" in block]


def run(pytester, tests):
    """Runs blocks as a reader has them: each a file, beside the article's `conftest.py`."""
    pytester.makeconftest(CONFTESTS[0])
    for number, block in enumerate(tests):
        pytester.path.joinpath(f"test_{number}.py").write_text(block)
    return pytester.runpytest_inprocess("-p", "no:xdist", "-p", "no:cacheprovider")


def test_examples_run_as_they_stand(pytester):
    assert len(CONFTESTS) == 1 and len(TESTS) > 4
    result = run(pytester, TESTS)
    result.assert_outcomes(passed=len(re.findall(r"^def test_", "\n".join(TESTS), re.MULTILINE)) - 1, failed=1)
    (shown,) = re.findall(r"^```text\n(.*?)^```$", ARTICLE, re.DOTALL | re.MULTILINE)
    came = re.sub(r"\d\d:\d\d:\d\d\.\d{3}", "10:00:00.123", result.stdout.str())
    assert shown in came


def test_the_article_on_live_activities(pytester):
    article = (ROOT / "Sources/MockAPNS/MockAPNS.docc/Guides/LiveActivities.md").read_text()
    (block,) = re.findall(r"^```python\n(.*?)^```$", article, re.DOTALL | re.MULTILINE)
    run(pytester, [block]).assert_outcomes(passed=1)


def test_the_module_that_catches_a_wrong_topic(pytester):
    (block,) = [block for block in TESTS if "pytestmark" in block]
    result = run(pytester, [block.replace("apns.topic", '"com.example.other"'), block])
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([
        "FAILED  nothing was refused",
        "*--- mock-apns requests ---*",
        "  1  *  alert to alice, 400 DeviceTokenNotForTopic",
    ])


@pytest.mark.parametrize("block", [block for block in BLOCKS if "def " not in block], ids=lambda block: block[:20])
def test_a_program(block):
    exec(compile(block, "PythonTests.md", "exec"), {})


def test_the_readme():
    """Its test is run by test_wheel.py, and the first of the article."""
    (shown,) = re.findall(r"^```python\n(.*?)^```$", (PYTHON / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    assert shown == BLOCKS[0]


def test_members():
    """The tables of the article name what there is."""
    shown = set(re.findall(r"`(\w+)(?:\([^`]*\))?`", " ".join(re.findall(r"^\| ([^|]*) \|", ARTICLE, re.MULTILINE))))
    public = {name for name in dir(APNs) if not name.startswith("_")}
    assert public - {"close", "ssl_context"} <= shown
    for kind in (Activity, Displayed, Stored, HistoryEntry, Finding):
        assert all(f"`{field.name}`" in ARTICLE for field in dataclasses.fields(kind)), kind
