"""What all tests share. The executable is named by the variable MOCK_APNS_EXECUTABLE."""

import pathlib
import time

import pytest
from pushing import push

pytest_plugins = ["pytester"]
__all__ = ["push"]

ROOT = pathlib.Path(__file__).resolve().parents[3]
PYTHON = ROOT / "Clients/python"
# Ends a test that hangs, and judges no speed.
PATIENCE = 300


@pytest.fixture
def users(pytester, monkeypatch):
    """A user's project: an empty folder with the fixture `push`."""
    # In CI, pytest repeats each error in full in its summary.
    for name in ("CI", "BUILD_NUMBER"):
        monkeypatch.delenv(name, raising=False)
    pytester.makeconftest((PYTHON / "tests/pushing.py").read_text())
    return pytester


def until(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.02)
