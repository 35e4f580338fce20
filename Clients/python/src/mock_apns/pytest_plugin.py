"""The fixture `apns` for pytest: a mock APNs server for each worker, reset before each test.

    import pytest

    @pytest.mark.apns(scenario="busy.json")
    def test_tries_again(apns):
        push_a_goal(apns.url)
        assert apns.count(status=200) == 1

What the scenario expects is judged at the end of the test, as a part of it. When a test fails, its report has what came
to the server.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generator, Iterator, List, Optional, Sequence, Tuple

import pytest

if TYPE_CHECKING:
    from . import APNs, Error
    from ._scenario import Scenario


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("mock-apns", "a mock APNs server for each worker (fixture apns)")
    group.addoption(
        "--mock-apns-url",
        metavar="URL",
        help="Use the server whose admin port is there, such as http://127.0.0.1:2198, instead of starting one.",
    )
    group.addoption(
        "--mock-apns-executable",
        metavar="PATH",
        help="The command mock-apns, where it is not the one that was installed with the fixture.",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "apns(scenario): what the server of the fixture apns plays: a scenario's file, relative to that of the test or"
        " to the root folder, or a dictionary",
    )
    # One server has one log and one clock, so it can serve one test at a time.
    workers = getattr(config.option, "numprocesses", None)
    if config.getoption("mock_apns_url") and isinstance(workers, int) and workers > 1:
        raise pytest.UsageError(
            f"--mock-apns-url names one server, and it cannot serve {workers} workers at a time. Without the option each"
            " worker starts one of its own."
        )


def pytest_collection_modifyitems(items: List[pytest.Item]) -> None:
    """A test with the mark gets a server, whether it names the fixture or not."""
    for item in items:
        names = getattr(item, "fixturenames", None)
        if names is not None and "apns" not in names and item.get_closest_marker("apns"):
            names.append("apns")


class Worker:
    """The server of this worker, started when the first test wants it."""

    def __init__(self, config: pytest.Config) -> None:
        self._url: Optional[str] = config.getoption("mock_apns_url")
        self._executable: Optional[str] = config.getoption("mock_apns_executable")
        self._apns: Optional[APNs] = None
        # What a server that somebody else has started plays by itself.
        self._own = b"{}"
        self._failure: Optional[Error] = None

    def open(self, scenario: Optional[Scenario], folders: Sequence[Path]) -> APNs:
        """The server, as freshly started with this scenario, or with its own."""
        from ._errors import Error
        from ._scenario import read

        text, name = read(scenario, folders)
        apns = self._apns
        if apns is None or not apns._is_alive():
            self.close()
            # What failed once fails for each test; none has to try again.
            if self._failure:
                raise self._failure
            try:
                apns = self._apns = self._start()
            except Error as failure:
                self._failure = failure
                raise
        # What an earlier test wanted to have judged is over, whatever became of it.
        apns._before_replacing = None
        apns._folders = folders
        if scenario is not None:
            apns._play(text, name)
        elif apns._has_played:
            apns._play(self._own)
            apns._has_played = False
        else:
            apns.reset()
        apns._mark()
        return apns

    def _start(self) -> APNs:
        from . import APNs, Server

        if self._url is None:
            return Server(executable=self._executable).start()
        # Once a server has sessions, each test gets one of its own here.
        apns = APNs(self._url, executable=self._executable)
        self._own = json.dumps(apns._admin.get("/scenario")).encode()
        return apns

    def close(self) -> None:
        """Ends the server, or leaves somebody else's as it was."""
        apns, self._apns = self._apns, None
        if apns is None:
            return
        if self._url is not None and apns._has_played:
            apns._play(self._own)
        apns.close()


SERVER = pytest.StashKey["APNs"]()


@pytest.fixture(scope="session")
def _mock_apns_worker(pytestconfig: pytest.Config) -> Iterator[Worker]:
    worker = Worker(pytestconfig)
    yield worker
    worker.close()


@pytest.fixture
def apns(request: pytest.FixtureRequest, _mock_apns_worker: Worker) -> APNs:
    """A mock APNs server, reset before the test: `mock_apns.APNs`."""
    from ._errors import Error

    item: pytest.Item = request.node
    try:
        server = _mock_apns_worker.open(scenario_of(item), (item.path.parent, item.config.rootpath))
    except (Error, TypeError) as error:
        message = str(error)
    else:
        server._before_replacing = functools.partial(judge_before_replacing, server)
        item.stash[SERVER] = server
        return server
    pytest.fail(message, pytrace=False)


def scenario_of(item: pytest.Item) -> Optional[Scenario]:
    """The scenario of the nearest mark."""
    mark = item.get_closest_marker("apns")
    if mark is None:
        return None
    unknown = [name for name in mark.kwargs if name != "scenario"]
    if unknown or len(mark.args) + len(mark.kwargs) > 1:
        raise TypeError(
            f"The mark apns takes a scenario and nothing else, as in apns(scenario=\"busy.json\"); it has"
            f" {', '.join([*map(repr, mark.args), *(f'{name}={value!r}' for name, value in mark.kwargs.items())])}."
        )
    scenario: Optional[Scenario] = mark.args[0] if mark.args else mark.kwargs.get("scenario")
    return scenario


def judge_before_replacing(apns: APNs) -> None:
    """Expectations that are about to be dropped have to hold, unless nothing has come since they were made."""
    __tracebackhide__ = True
    if apns.count():
        apns.verify()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Judges what the scenario expects as a part of the test, so that it has failed and not its teardown."""
    from ._errors import Error, ExpectationsFailed

    result = yield
    server = item.stash.get(SERVER, None)
    if server is not None:
        message = ""
        try:
            server._verify("/verify?finish=true", {})
        except (Error, ExpectationsFailed) as error:
            message = str(error)
        if message:
            pytest.fail(message, pytrace=False)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Attaches what came to the server to the report of a test that failed."""
    report = yield
    server = item.stash.get(SERVER, None)
    if server is not None and report.failed:
        report.sections += sections(server)
        del item.stash[SERVER]
    return report


def sections(apns: APNs) -> List[Tuple[str, str]]:
    from . import _report
    from ._errors import Error

    try:
        found = [("mock-apns requests", _report.log(apns._admin))]
    except Error as error:
        found = [("mock-apns requests", str(error))]
    words = apns._words()
    if words:
        found.append(("mock-apns stderr", words))
    return found
