"""Types, and the oldest Python that is supported."""

import ast
import subprocess
import sys

import pytest
from conftest import PATIENCE, PYTHON

USER = """
import datetime
import mock_apns
from typing import List

def test_it(apns: mock_apns.APNs) -> None:
    records: List[mock_apns.Record] = apns.wait(1, timeout="5s", push_type="alert", status={"oneOf": [200, 429]})
    status: int = records[0].status or 0
    name: str = apns.rule({"reject": "TooManyRequests"}, when={"device": "alice"}, times=2)
    apns.device("alice").displayed[0].payload["aps"]
    body: str = apns.add_device({"name": "bob"}).displayed[0].shown["body"]
    activities = apns.device("alice").wait_for_activities(2, topic=apns.topic, timeout="5s")
    token: str = activities[0]["token"] + apns.device("alice").renew_token()
    apns.device("alice").app("forceQuit", topic=apns.topic, background_refresh=False)
    apns.device("alice").budget("background", 3, datetime.timedelta(hours=1))
    score: object = activities[0].state
    started: datetime.datetime = activities[0].started_at
    match: mock_apns.Activity = apns.device("alice").start_activity("match")
    apns.device("alice").end_activity(match)
    apns.device("alice").dismiss_activity("match")
    apns.device("alice").unsubscribe(apns.device("alice").subscribe(apns.channel("final")).channel or "final")
    apns.remove_channel(apns.add_channel("half"))
    summary: str = apns.api_url + "/summary"
    apns.device("alice").platform("tvOS")
    apns.device("alice").power("saving")
    apns.device("alice").open(records[0], "REPLY", text="Yes")
    why: str = apns.device("alice").history[0].why
    apns.token(issued_at=datetime.datetime.now(datetime.timezone.utc))
    with mock_apns.Server(scenario="tour.json", auth="none", threads=2) as server:
        server.verify({"connections": 1})
        with server.session("one", scenario={"rules": []}, expires_after="10m") as session:
            text: str = session.name + session.url
"""
MISTAKES = """
import mock_apns

def test_it(apns: mock_apns.APNs) -> None:
    apns.wait(pushType="alert")
    apns.rule({"reject": "X"}, tims=2)
    apns.requests()[0].status = 1
    apns.device("alice").displayd
    apns.device("alice").activities[0].tokn
    apns.device("alice").open(None)
    apns.device("alice").end_activity(apns.channel("final"))
    apns.device("alice").subscribe(7)
    mock_apns.Server(threads="2")
"""


def mypy(*arguments):
    command = [sys.executable, "-m", "mypy", "--strict", *arguments]
    return subprocess.run(command, cwd=PYTHON, capture_output=True, text=True, timeout=PATIENCE)


def test_the_package(tmp_path):
    done = mypy("--cache-dir", str(tmp_path), "--python-version", "3.10", "src")
    assert done.returncode == 0, done.stdout


def test_a_users_file(tmp_path):
    (tmp_path / "user.py").write_text(USER)
    done = mypy("--cache-dir", str(tmp_path), str(tmp_path / "user.py"))
    assert done.returncode == 0, done.stdout
    (tmp_path / "mistakes.py").write_text(MISTAKES)
    done = mypy("--cache-dir", str(tmp_path), str(tmp_path / "mistakes.py"))
    found = [int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error: " in line]
    assert found == [5, 6, 7, 8, 9, 10, 11, 12, 13], done.stdout


@pytest.mark.parametrize("file", sorted((PYTHON / "src").rglob("*.py")), ids=lambda file: file.name)
def test_python_3_9(file):
    """Its syntax, and no annotation that is evaluated: `X | Y` and `list[int]` in one need a newer Python."""
    tree = ast.parse(file.read_text(), feature_version=(3, 9))
    if file.name != "__init__.py":
        assert any(isinstance(each, ast.ImportFrom) and each.module == "__future__" for each in tree.body)
    for each in ast.walk(tree):
        assert not (isinstance(each, ast.BinOp) and isinstance(each.op, ast.BitOr)), ast.unparse(each)
