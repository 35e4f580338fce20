"""Sessions on a server that is running already: with `--mock-apns-url`, and without pytest."""

import contextlib
import http.server
import json
import re
import socket
import sys
import threading

import mock_apns
import pytest
from conftest import PATIENCE
from mock_apns import _session
from mock_apns._executable import find_executable
from mock_apns.pytest_plugin import session_name

BUSY = {
    "rules": [{"name": "busy", "times": 1, "then": {"reject": "TooManyRequests"}}],
    "expect": [{"name": "tried again", "requests": {"status": 200}, "count": 1}],
}


def admin(server):
    return server.env["MOCK_APNS_ADMIN_URL"]


def open_sessions(server):
    return [each["name"] for each in server._admin.get("/sessions")["sessions"]]


def run(users, text, *options):
    """Runs one test file of a user's project."""
    users.makepyfile(text)
    return users.runpytest_inprocess("-p", "no:xdist", "-p", "no:cacheprovider", *options)


@pytest.mark.parametrize("option", [[], ["-n", "2"]], ids=["alone", "workers"])
def test_under_exec_the_server_is_that_of_exec(users, option):
    users.makepyfile("""
        def test_one(apns, push):
            assert push().status_code == 200

        def test_two(apns, push):
            assert push().status_code == 200
    """)
    options = ["-p", "no:cacheprovider", *option]
    command = [find_executable(), "exec", "--certs", str(users.path / "certs"), "--", sys.executable, "-m", "pytest", *options]
    done = users.run(*command, timeout=PATIENCE)
    done.assert_outcomes(passed=2)
    done.stderr.fnmatch_lines(["2 requests*", "  200  2"])

    done = users.run(*command, "--mock-apns-url=", timeout=PATIENCE)
    done.assert_outcomes(passed=2)
    done.stderr.fnmatch_lines(["No requests."])


@pytest.mark.parametrize("option", [[], ["-n", "2"]], ids=["alone", "workers"])
def test_tests_have_their_own_sessions_on_running_servers(users, option):
    scenario = {"rules": [{"name": "theirs", "then": {"reject": "TooManyRequests"}}]}
    with mock_apns.Server(scenario) as apns:
        admin = apns.env["MOCK_APNS_ADMIN_URL"]
        users.makepyfile("""
            def test_plays_what_it_was_started_with(apns, push):
                assert push().status_code == 429
                apns.play({})
                assert push().status_code == 200

            def test_again(apns, push):
                assert push().status_code == 429
                assert apns.count() == 1
                apns.play({})
        """)
        result = users.runpytest_subprocess(f"--mock-apns-url={admin}", *option, timeout=PATIENCE)
        result.assert_outcomes(passed=2)
        assert apns._admin.get("/scenario") == scenario
        assert apns.count() == 0
        assert apns._admin.get("/sessions") == {"sessions": []}


def test_sessions_end_with_their_tests_whatever_the_outcome(users):
    with mock_apns.Server() as server:
        result = run(users, f"""
            import mock_apns, pytest

            def sessions():
                return [each["name"] for each in mock_apns.APNs({admin(server)!r})._admin.get("/sessions")["sessions"]]

            @pytest.fixture
            def provider(apns):
                apns.url
                yield
                assert apns.count() == 0, "it is there as long as fixtures need it"

            @pytest.fixture
            def breaks(apns):
                yield
                raise ValueError

            def test_fails(apns, push, provider):
                push(), apns.reset()
                assert sessions() == ["test-fails"]
                assert 0

            def test_its_teardown_fails(push, breaks):
                push("Goal")

            @pytest.mark.apns(scenario={BUSY!r})
            def test_skipped(apns):
                pytest.skip("today")

            def test_ends_it_itself(apns):
                apns.close()

            @pytest.mark.apns(scenario={{"rulez": []}})
            def test_a_mistake():
                pass

            def test_last(apns):
                assert sessions() == ["test-last"]
        """, f"--mock-apns-url={admin(server)}")
        result.assert_outcomes(passed=2, failed=2, errors=2, skipped=1)
        assert open_sessions(server) == []
    result.stdout.fnmatch_lines([
        "*ERROR at teardown of test_its_teardown_fails*",
        "*--- mock-apns requests ---*",
        "1 request:",
        '     {"aps": {"alert": "Goal"}}',
    ])
    result.stdout.fnmatch_lines(['*rulez is not a key of a scenario; did you mean "rules"?'])


def test_expectations_are_judged_as_part_of_tests(users):
    with mock_apns.Server() as server:
        result = run(users, f"""
            import pytest

            pytestmark = pytest.mark.apns(scenario={BUSY!r})

            def test_tries_again(push):
                assert [push().status_code, push().status_code] == [429, 200]

            def test_gives_up(push):
                push()
        """, f"--mock-apns-url={admin(server)}")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["tried again: 1 of 1 expectation failed.", "FAILED  tried again", "*--- mock-apns requests ---*"]
    )


def test_exec_does_not_judge_skipped_tests_either(users):
    def run(expected):
        users.makepyfile(f"""
            import pytest

            pytestmark = pytest.mark.apns(scenario={BUSY!r})

            def test_tries_again(push):
                push(), push()

            def test_skipped(push):
                pytest.skip("today")

            @pytest.mark.xfail(strict=True)
            def test_expectations_are_expected_to_fail(push):
                push()

            {expected}
            def test_is_expected_to_fail(push):
                assert push().status_code == 200
        """)
        python = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
        return users.run(
            find_executable(), "exec", "--quiet", "--certs", users.path / "certs", "--", "sh", "-c",
            f'exec {" ".join(python)} --mock-apns-url "$MOCK_APNS_ADMIN_URL"', timeout=PATIENCE,
        )

    result = run("@pytest.mark.xfail(strict=True)")
    assert result.ret == 0, result.stderr.str()
    assert "1 passed, 1 skipped, 2 xfailed" in result.stdout.str()
    result = run("")
    assert result.ret == 1
    result.stderr.fnmatch_lines(["1 of 2 expectations failed.", "FAILED  test-is-expected-to-fail: tried again"])


def test_another_run_is_at_the_same_test(users):
    with mock_apns.Server() as server, server.session("test-it"):
        result = run(users, """
            import re

            def test_it(apns):
                assert re.fullmatch("test-it-[0-9a-f]{6}", apns.name)
        """, f"--mock-apns-url={admin(server)}")
        result.assert_outcomes(passed=1)
        assert open_sessions(server) == ["test-it"]


def test_names():
    assert session_name("gw3", "test_tries_again[3-Ä]") == "gw3-test-tries-again-3"
    assert session_name("", "Ä") == "test"
    names = {session_name("gw10", f"test_{'long' * 30}[{number}]") for number in range(3)}
    assert len(names) == 3
    assert all(re.fullmatch("[a-z0-9-]{63}", name) for name in names)


# Each forgets the others, moves a clock that the others must not see, and counts connections of its own.
MANY = """
    import httpx, pytest

    MANUAL = {{"clock": {{"manual": "2026-01-01T00:00:00Z"}}}}
    TOKEN = "a" * 64

    @pytest.mark.parametrize("number", range({tests}))
    @pytest.mark.apns(scenario=MANUAL)
    def test_it(apns, number):
        count = 1 + number % 3
        headers = {{"apns-topic": apns.topic, "apns-push-type": "alert"}}

        def push(text):
            with httpx.Client(http2=True, verify=apns.ssl_context(), base_url=apns.url) as client:
                body = {{"aps": {{"alert": text}}}}
                fields = {{**headers, "authorization": "bearer " + apns.token()}}
                assert client.post("/3/device/" + TOKEN, headers=fields, json=body).status_code == 200

        push("before")
        apns.reset()
        assert apns.count() == 0
        apns.advance(str(number) + "s")
        for each in range(count):
            push("goal %d of %d" % (each, number))
        found = apns.wait(count)
        texts = [record.payload["aps"]["alert"] for record in found]
        assert texts == ["goal %d of %d" % (each, number) for each in range(count)]
        assert {{int(record.clock.timestamp()) for record in found}} == {{1767225600 + number}}
        assert [record.connection for record in found] == list(range(1, count + 1))
        apns.verify({{"connections": count}}, {{"requests": {{}}, "count": count}})
"""


@pytest.mark.parametrize(
    ("tests", "workers", "runs"),
    [(20, 4, 1), pytest.param(200, 8, 10, marks=pytest.mark.slow)],
    ids=["few", "many"],
)
def test_workers_share_a_server(users, tests, workers, runs):
    users.makepyfile(MANY.format(tests=tests))
    with mock_apns.Server() as server:
        for _ in range(runs):
            result = users.runpytest_subprocess(
                "-n", str(workers), "-p", "no:cacheprovider", f"--mock-apns-url={admin(server)}", timeout=PATIENCE
            )
            result.assert_outcomes(passed=tests)
        assert open_sessions(server) == []
        assert server.count() == 0


def neighbours():
    """The first of two free ports that follow one another."""
    while True:
        with socket.socket() as one, socket.socket() as two:
            one.bind(("127.0.0.1", 0))
            first = one.getsockname()[1]
            try:
                two.bind(("127.0.0.1", first + 1))
                return first
            except (OSError, OverflowError):
                continue


@contextlib.contextmanager
def two_ports():
    """A server with two ports for sessions, and the first of them."""
    first = neighbours()
    with mock_apns.Server(session_ports=f"{first}-{first + 1}") as server:
        yield server, first


def test_as_many_ports_as_workers(users):
    """The port of a session that has just ended is there for the next one."""
    with two_ports() as (server, first):
        users.makepyfile(f"""
            import pytest

            @pytest.mark.parametrize("number", range(12))
            def test_it(apns, push, number):
                assert push().status_code == 200
                assert apns.port in ({first}, {first + 1})
        """)
        result = users.runpytest_subprocess(
            "-n", "2", "-p", "no:cacheprovider", f"--mock-apns-url={admin(server)}", timeout=PATIENCE
        )
    result.assert_outcomes(passed=12)


def test_a_mapped_port(users):
    """A container publishes ports under other numbers: here the one that follows stands for the session's."""
    with two_ports() as (server, first):
        result = run(users, f"""
            def test_it(apns):
                assert apns.url == "https://localhost:{first + 100}"
                assert (apns.host, apns.port) == ("localhost", {first + 100})
                assert apns.env["MOCK_APNS_PORT"] == "{first + 100}"
                apns.play({{}})
                assert apns.port == {first + 100}
                apns.reset()
        """, f"--mock-apns-url={admin(server).replace('127.0.0.1', 'localhost')}",
            f"--mock-apns-published-ports={first + 100}-{first + 101}:{first}-{first + 1}")
        result.assert_outcomes(passed=1)
        with pytest.raises(mock_apns.Error, match="which is not published; start the server with --session-ports 7-8"):
            server.session(published_ports="17-18:7-8")
        with pytest.raises(mock_apns.Error, match="^17-18:7 is not a mapping of ports"):
            server.session(published_ports="17-18:7")
        assert open_sessions(server) == []


@pytest.mark.parametrize(
    ("reported", "host", "mapped", "address"),
    [
        ("https://127.0.0.1:2300", "127.0.0.1", None, None),
        ("https://127.0.0.1:2300", "localhost", None, None),
        ("https://push.test:2300", "10.0.0.5", None, None),
        ("https://127.0.0.1:2300", "10.0.0.5", None, "https://10.0.0.5:2300"),
        ("https://127.0.0.1:2300", "::1", "5300:2300", "https://[::1]:5300"),
        ("https://docker:2301", "docker", "5300-5301:2300-2301", "https://docker:5301"),
        ("https://docker:2301", "docker", "5309:2300,5307:2301", "https://docker:5307"),
    ],
)
def test_where_a_session_is_reached(reported, host, mapped, address):
    assert _session.reachable(reported, host, _session.port_mapping(mapped)) == address


def test_without_pytest(tmp_path):
    busy = tmp_path / "busy.json"
    busy.write_text(json.dumps(BUSY))
    with mock_apns.Server({"rules": [{"then": {"reject": "Unregistered"}}]}) as server:
        same = mock_apns.APNs(admin(server))
        with same.session("checkout-7", busy) as one, server.session(expires_after="10m") as two:
            assert open_sessions(server) == [one.name, two.name] == ["checkout-7", "session-1"]
            assert len({one.url, two.url, server.url}) == 3
            assert repr(one) == f"<mock_apns.Session {admin(server)}/api/v1/sessions/checkout-7>"
            assert two._admin.get("/scenario") == {}
            assert one.token() == one.token()
            assert two.session("beside-it").name == "beside-it"
            folder = one.ca.parent
            with pytest.raises(mock_apns.ExpectationsFailed):
                one.verify()
        assert open_sessions(server) == ["beside-it"]
        assert not folder.exists()
        one.close()
        with pytest.raises(mock_apns.APIError, match='There is no session "checkout-7"'):
            one.count()
        with pytest.raises(mock_apns.APIError, match='There is already a session "beside-it"'):
            server.session("beside-it")
        with pytest.raises(mock_apns.APIError, match="did you mean"):
            server.session("mistaken", {"rulez": []})
        with pytest.raises(ZeroDivisionError), server.session("fails"):
            1 / 0
        assert open_sessions(server) == ["beside-it"]
        orphan = server.session()
    orphan.close()
    with pytest.raises(mock_apns.StartError, match="The server is not running"):
        server.session()


@contextlib.contextmanager
def answering(status, code, message):
    """A server that answers all calls like this, with an empty scenario before."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def answer(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            is_scenario = self.path == "/api/v1/scenario"
            error = {"error": {"code": code, "message": message, "pointer": ""}}
            body = json.dumps({} if is_scenario else error).encode()
            self.send_response(200 if is_scenario else status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = answer

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def told(users, url):
    """The one sentence about each of two tests."""
    result = run(users, "def test_one(apns): pass\ndef test_two(apns): pass", f"--mock-apns-url={url}")
    result.assert_outcomes(errors=2)
    text = result.stdout.str()
    found = re.findall(r"ERROR at setup of test_\w+ _+\n(.*)\n[_=]", text)
    assert len(set(found)) == 1 and len(found) == 2, text
    return found[0]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("https://127.0.0.1:2197", "https://127.0.0.1:2197 is not the address of an admin port, such as http"),
        ("http://127.0.0.1:1", "No mock-apns answers at http://127.0.0.1:1: "),
    ],
)
def test_no_server_is_there(users, url, message):
    assert told(users, url).startswith(message)


def test_a_server_that_is_too_old(users):
    message = 'There is no endpoint "POST /api/v1/sessions"; GET /api/v1/openapi.json lists all of them.'
    with answering(404, "notFound", message) as url:
        assert told(users, url) == (
            f"The mock-apns at {url} is too old to have sessions: use one of the version of this package."
        )


def test_a_token_is_wanted(users, monkeypatch):
    with mock_apns.Server(admin_token="secret") as server:
        url = admin(server)
        assert told(users, url) == f"The mock-apns at {url} requires a token: set the variable MOCK_APNS_ADMIN_TOKEN."
        monkeypatch.setenv("MOCK_APNS_ADMIN_TOKEN", "other")
        assert told(users, url) == (
            f"The mock-apns at {url} wants another token than that of the variable MOCK_APNS_ADMIN_TOKEN."
        )
        monkeypatch.setenv("MOCK_APNS_ADMIN_TOKEN", "secret")
        run(users, "def test_it(apns, push): push()", f"--mock-apns-url={url}").assert_outcomes(passed=1)


def test_no_port_is_free(users, monkeypatch):
    monkeypatch.setattr(_session, "PORT", 0.1)
    with two_ports() as (server, first), server.session(), server.session():
        url = admin(server)
        assert told(users, url) == (
            f"The mock-apns at {url} cannot open a session: No port from {first} to {first + 1} is free; "
            "end a session, or start the server with more --session-ports."
        )
