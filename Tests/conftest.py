"""When a test of unittest ends, pytest forgets that a subtest of it has failed, so `--last-failed`, by which .ci/twice runs a few
failed tests again, would not find the test. Here it has failed, too."""

import pytest

with_failed_subtests = set()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report):
    if isinstance(report, pytest.SubtestReport):
        if report.failed:
            with_failed_subtests.add(report.nodeid)
    elif report.when == "call" and not report.failed and report.nodeid in with_failed_subtests:
        report.outcome = "failed"
        report.longrepr = "a subtest failed"
