"""The fixture `apns` for pytest: a server for each worker, reset before each test, or a session for each test.

    import pytest

    @pytest.mark.apns(scenario="busy.json")
    def test_tries_again(apns):
        push_a_goal(apns.url)
        assert apns.count(status=200) == 1

What the scenario expects is judged at the end of the test, as part of it. If a test fails, its report shows which
expectations failed beside its own error, and what the server received.
"""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generator, Iterator, List, Mapping, Optional, Sequence

import pytest

try:
    pytest.StashKey, pytest.hookimpl(wrapper=True)
except (AttributeError, TypeError):
    raise pytest.UsageError(
        "mock-apns needs pytest 7 and pluggy 1.2, or newer ones: pip install --upgrade pytest pluggy"
    ) from None

if TYPE_CHECKING:
    from . import APNs, Error, Session
    from ._scenario import Scenario


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("mock-apns", "a mock APNs server for each worker (fixture apns)")
    group.addoption(
        "--mock-apns-url",
        metavar="URL",
        help="Open a session for each test on the server whose admin port is there, such as http://127.0.0.1:2198, and start"
        " none. The default is the variable MOCK_APNS_ADMIN_URL, which `mock-apns exec` sets. If it is empty, a server is"
        " started.",
    )
    group.addoption(
        "--mock-apns-published-ports",
        metavar="HOST:CONTAINER",
        help="How the ports of sessions are mapped, where a container publishes them under other numbers, such as"
        " 12300-12399:2300-2399; several have commas between.",
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


def pytest_collection_modifyitems(items: List[pytest.Item]) -> None:
    """A test with the mark gets a server, whether it names the fixture or not."""
    for item in items:
        names = getattr(item, "fixturenames", None)
        if names is not None and "apns" not in names and item.get_closest_marker("apns"):
            names.append("apns")


class Worker:
    """The server of this worker, started or looked for when the first test needs it."""

    def __init__(self, config: pytest.Config) -> None:
        url: Optional[str] = config.getoption("mock_apns_url")
        self._url = (os.environ.get("MOCK_APNS_ADMIN_URL") if url is None else url) or None
        self._published_ports: Optional[str] = config.getoption("mock_apns_published_ports")
        self._executable: Optional[str] = config.getoption("mock_apns_executable")
        self._name: str = getattr(config, "workerinput", {}).get("workerid", "")
        self._apns: Optional[APNs] = None
        # On a server that was started elsewhere: the session of the latest test, and what it begins with, which is
        # what the server plays.
        self._session: Optional[Session] = None
        self._theirs: Mapping[str, Any] = {}
        self._failure: Optional[Error] = None
        # Whether the latest test was skipped, or failed as it was expected to.
        self.is_skipped = False

    def open(self, test: str, scenario: Optional[Scenario], folders: Sequence[Path]) -> APNs:
        """A server as freshly started with this scenario, or a session with it, or with what the server plays."""
        from ._scenario import read

        text, name = read(scenario, folders)
        server = self._server()
        server._folders = folders
        if self._url is not None:
            return self._open_session(server, test, scenario)
        # What an earlier test wanted to have judged is over, whatever became of it.
        server._before_replacing = None
        if scenario is not None:
            server._play(text, name)
        elif server._has_played:
            server._play(b"{}")
            server._has_played = False
        else:
            server.reset()
        server._mark()
        return server

    def _open_session(self, server: APNs, test: str, scenario: Optional[Scenario]) -> APNs:
        import secrets

        from ._errors import APIError
        from ._session import open_session

        self.end_session()
        self.is_skipped = False
        name, begins_with = session_name(self._name, test), self._theirs if scenario is None else None
        for attempt in (name, f"{name[:56]}-{secrets.token_hex(3)}"):
            try:
                self._session = open_session(
                    server, attempt, scenario, begins_with=begins_with, published_ports=self._published_ports
                )
                break
            except APIError as error:
                # Another run is at the same test.
                if error.code != "taken" or attempt != name:
                    raise
        assert self._session
        return self._session

    def end_session(self) -> None:
        """Ends the session of the latest test, if there is one."""
        session, self._session = self._session, None
        if session is not None:
            session._end(judged=not self.is_skipped)

    def _server(self) -> APNs:
        from ._errors import Error

        if self._apns is None or not self._apns._is_alive():
            self.close()
            # What failed once fails for each test; none has to try again.
            if self._failure:
                raise self._failure
            try:
                self._apns = self._start()
            except Error as failure:
                self._failure = failure
                raise
        return self._apns

    def _start(self) -> APNs:
        from . import APNs, Server
        from ._session import refusal

        if self._url is None:
            return Server(executable=self._executable).start()
        apns = APNs(self._url, executable=self._executable)
        status, answer = apns._admin.exchange("GET", "/scenario")
        if status >= 400:
            raise refusal(apns._admin, status, answer)
        self._theirs = answer
        return apns

    def close(self) -> None:
        """Ends the server, or the session on one started elsewhere."""
        apns, self._apns = self._apns, None
        try:
            self.end_session()
        finally:
            if apns is not None:
                apns.close()


def session_name(worker: str, test: str) -> str:
    """A name for the session of a test, which may have lowercase letters, digits and hyphens, at most 63."""
    name = re.sub("[^a-z0-9]+", "-", f"{worker} {test}".lower()).strip("-") or "test"
    if len(name) <= 63:
        return name
    import hashlib

    return f"{name[:54]}-{hashlib.sha256(test.encode()).hexdigest()[:8]}"


SERVER = pytest.StashKey["APNs"]()
# The report of expectations that failed.
FAILED = pytest.StashKey[str]()
WORKER = pytest.StashKey[Worker]()


@pytest.fixture(scope="session")
def _mock_apns_worker(pytestconfig: pytest.Config) -> Iterator[Worker]:
    worker = Worker(pytestconfig)
    yield worker
    worker.close()


@pytest.fixture
def apns(request: pytest.FixtureRequest, _mock_apns_worker: Worker) -> APNs:
    """A mock APNs server that has received no push: `mock_apns.APNs`."""
    from ._errors import Error

    item: pytest.Item = request.node
    try:
        server = _mock_apns_worker.open(item.name, scenario_of(item), (item.path.parent, item.config.rootpath))
    except (Error, TypeError) as error:
        message = str(error)
    else:
        server._before_replacing = functools.partial(judge_before_replacing, server)
        item.stash[SERVER] = server
        item.stash[FAILED] = ""
        item.stash[WORKER] = _mock_apns_worker
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
    if apns.count(call={"exists": False}) or apns.count(call={"exists": True}):
        apns.verify()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Judges what the scenario expects as part of the test, so that the test fails and not its teardown.

    An error of the test's own stays what it fails with.
    """
    try:
        result = yield
    except (Exception, pytest.fail.Exception):  # not if it was skipped
        judge(item)
        raise
    message = judge(item)
    if message:
        pytest.fail(message, pytrace=False)
    return result


def judge(item: pytest.Item) -> str:
    """Why what the scenario expects does not hold; nothing if it does."""
    from ._errors import Error, ExpectationsFailed

    server = item.stash.get(SERVER, None)
    if server is not None:
        try:
            server._verify("/verify?finish=true", {})
        except ExpectationsFailed as error:
            item.stash[FAILED] = str(error)
            return str(error)
        except Error as error:
            return str(error)
    return ""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds what was expected and what the server received to the report of a test that failed, and ends its session.

    What the session expects counts for `mock-apns exec` as well, unless the test was skipped or failed as expected.
    """
    from ._errors import Error

    report = yield
    server = item.stash.get(SERVER, None)
    if server is not None and report.failed:
        add_sections(report, item.stash[FAILED], server)
        del item.stash[SERVER]
    worker = item.stash.get(WORKER, None)
    if worker is not None and report.skipped:
        worker.is_skipped = True
    # Not earlier, so that all that the test has torn down, and what is reported of it, has had the session.
    if worker is not None and report.when == "teardown":
        del item.stash[WORKER]
        try:
            worker.end_session()
        except Error as error:
            report.sections.append(("mock-apns session", str(error)))
    return report


def add_sections(report: pytest.TestReport, failed: str, apns: APNs) -> None:
    """Adds what the report does not say yet: the error of the test may be that of its expectations."""
    from . import _printable, _report
    from ._errors import Error

    try:
        log = _report.log(apns._admin)
    except Error as error:
        log = str(error)
    told = report.longreprtext
    for title, text in ("expectations", failed), ("requests", log), ("stderr", _printable.block(apns._words())):
        if not all(line in told for line in text.splitlines()):
            report.sections.append((f"mock-apns {title}", text))
            told += text
