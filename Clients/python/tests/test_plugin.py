"""The fixture `apns` and its mark, as a user's test run shows them."""

import contextlib
import json
import re
import subprocess
import sys
import textwrap

import mock_apns
import pytest
from conftest import PATIENCE, until
from test_server import is_open

BUSY = """
{
  "rules": [ { "name": "busy", "times": 2, "then": { "reject": "TooManyRequests" } } ],
  "expect": [ { "name": "tried again", "requests": { "status": 200 }, "count": 1 } ]
}
"""


@pytest.fixture
def busy(users):
    users.path.joinpath("busy.json").write_text(BUSY)
    return users


def run(users, text, *options):
    """Runs one test file of a user's project."""
    users.makepyfile(text)
    return users.runpytest_inprocess("-p", "no:xdist", "-p", "no:cacheprovider", *options)


def test_each_test_begins_anew(users):
    result = run(users, """
        import pytest

        @pytest.mark.apns(scenario={"rules": [{"then": {"reject": "TooManyRequests"}}]})
        def test_busy(apns, push):
            assert push().status_code == 429

        @pytest.mark.parametrize("number", [1, 2])
        def test_idle(apns, push, number):
            assert push().status_code == 200
            (record,) = apns.requests()
            assert (record.sequence, record.connection) == (1, 1)
            apns.rule({"reject": "Unregistered"})
    """)
    result.assert_outcomes(passed=3)


def test_one_server_for_all_tests(users):
    result = run(users, """
        urls = set()

        def test_one(apns):
            urls.add(apns.url)

        def test_two(apns):
            urls.add(apns.url)
            assert len(urls) == 1
    """)
    result.assert_outcomes(passed=2)


def test_without_the_fixture_no_server_is_started(users):
    result = run(users, "def test_it(): pass", "--mock-apns-executable=/nowhere")
    result.assert_outcomes(passed=1)


def test_expectations_hold(busy):
    result = run(busy, """
        import pytest

        @pytest.mark.apns(scenario="busy.json")
        def test_tries_again(push):
            for _ in range(3):
                push()

        @pytest.mark.apns("busy.json")
        def test_without_the_fixture_the_mark_is_enough(apns, push):
            assert [push().status_code for _ in range(3)] == [429, 429, 200]

        def test_without_a_mark(apns, push):
            apns.play("busy.json")
            assert push().status_code == 429
            push(), push()
    """)
    result.assert_outcomes(passed=3)


def test_built_in_scenarios_have_names(users):
    users.path.joinpath("token-rotated").write_text('{"devices": [{"name": "mine"}]}')
    users.path.joinpath("unregistered").mkdir()
    result = run(users, """
        import mock_apns
        import pytest

        @pytest.mark.xfail(reason="nothing is pushed", strict=True)
        @pytest.mark.apns("tour")
        def test_the_mark(apns):
            assert apns.device("alice").token.startswith("00fc")

        def test_play(apns):
            apns.play("activity-started-on-a-channel")
            assert apns.device("alice")
            apns.play({})  # what it expects is for a provider

        def test_files_but_not_folders_take_precedence(apns):
            apns.play("token-rotated")
            assert apns.device("mine")
            apns.play("unregistered")
            assert apns.device("alice")
            apns.play({})

        @pytest.mark.parametrize(("name", "message"), [
            ("tuor", 'and none of that name is built in; did you mean "tour"[?]'),
            ("TooManyRequests", 'did you mean "too-many-requests"[?]'),
            ("freeze", "is built in; those are accepted-after-uninstall, "),
            ("management", 'did you mean "channel-management-down"[?]'),
            ("broadcast", 'did you mean "broadcast-[a-z-]+"( or "broadcast-[a-z-]+")*[?]'),
            ("tour.json", 'There is no scenario tour.json in .*; did you mean "tour"[?]'),
            ("nothing-like-it-at-all-anywhere", "is built in; those are accepted-after-uninstall, .* window-stall[.]$"),
        ])
        def test_neither(apns, name, message):
            with pytest.raises(mock_apns.Error, match=message):
                apns.play(name)
    """)
    assert result.parseoutcomes().get("passed", 0) + result.parseoutcomes().get("xfailed", 0) == 10, result.stdout.str()


def test_the_mark_alone_starts_a_server(users):
    result = run(users, """
        import pytest

        @pytest.mark.apns(scenario={"expect": [{"requests": {}, "count": 1}]})
        def test_it():
            pass
    """)
    result.assert_outcomes(failed=1)


def test_expectations_fail_the_test_and_not_its_teardown(busy, monkeypatch):
    monkeypatch.setenv("COLUMNS", "130")
    result = run(busy, """
        import pytest

        @pytest.mark.apns(scenario="busy.json")
        def test_gives_up(push):
            push("First try")
    """)
    result.assert_outcomes(failed=1)
    text = result.stdout.str()
    result.stdout.fnmatch_lines([
        "*___ test_gives_up ___*",
        "tried again: 1 of 1 expectation failed.",
        "FAILED  tried again",
        "  expected  exactly 1 request with status 200",
        "  seen      0 requests",
        "  nearest   request 1: status is 429, not 200",
        "*--- mock-apns requests ---*",
        "1 request:",
        "  1  *  alert to 00fc13ad…e8f0, 429 TooManyRequests, decided by rule:busy",
        '     Rule "busy" answers TooManyRequests.',
        '     {"aps": {"alert": "First try"}}',
        "FAILED *::test_gives_up - Failed: tried again: *",
    ])
    report = text.partition("short test summary")[0].partition("test_gives_up")[2]
    assert "mock_apns" not in report, "no traceback of ours"
    assert "pytest_plugin.py" not in text


def test_tests_failing_by_themselves_show_the_log_too(users):
    result = run(users, """
        def test_it(apns, push):
            push()
            (record,) = apns.requests()
            assert record.status == 503
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([
        "E       assert 200 == 503",
        "E        +  where 200 = <Record 1: alert to 00fc13ad…e8f0, 200>.status",
        "*--- mock-apns requests ---*",
        "1 request:",
    ])


OWN_ERRORS = f"""
    import pytest, unittest

    pytestmark = pytest.mark.apns(scenario={BUSY!r})

    def test_asserts(push):
        push()
        assert 1 == 2

    def test_fails(push):
        push()
        pytest.fail("of its own accord")

    class Tests(unittest.TestCase):
        @pytest.fixture(autouse=True)
        def server(self, push):
            self.push = push

        def test_unittest(self):
            self.push()
            self.assertEqual(1, 2)

        def test_skipped(self):
            raise unittest.SkipTest("today")

    def test_holds(push):
        push(), push(), push()
        assert 1 == 2

    def test_skipped(push):
        push()
        pytest.skip("today")
"""


@pytest.mark.parametrize("shared", [False, True], ids=["own server", "session"])
def test_own_errors_come_with_failed_expectations(users, shared):
    text = textwrap.dedent(OWN_ERRORS.replace(repr(BUSY), repr(json.loads(BUSY))))
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(mock_apns.Server()) if shared else None
        options = [f"--mock-apns-url={server.env['MOCK_APNS_ADMIN_URL']}"] if server else []
        result = run(users, text, *options)
    result.assert_outcomes(failed=4, skipped=2)
    for own in ("E*assert 1 == 2", "E*Failed: of its own accord", "E*AssertionError: 1 != 2"):
        result.stdout.fnmatch_lines([
            own,
            "*--- mock-apns expectations ---*",
            "tried again: 1 of 1 expectation failed.",
            "FAILED  tried again",
            "  expected  exactly 1 request with status 200",
            "  seen      0 requests",
            "*--- mock-apns requests ---*",
            "1 request:",
        ])
    assert result.stdout.str().count("mock-apns expectations") == 3


def test_nothing_is_told_twice(users):
    result = run(users, f"""
        import pytest

        @pytest.mark.apns(scenario={json.loads(BUSY)!r})
        def test_no_push(apns):
            pass

        def test_waits(apns):
            apns.wait(timeout=0)

        @pytest.mark.apns(scenario={json.loads(BUSY)!r})
        def test_asks_itself(apns):
            apns.verify()

        def test_breaks(apns):
            raise ValueError
    """)
    result.assert_outcomes(failed=4)
    text = result.stdout.str()
    assert text.count("No request arrived. There was no connection.") == 4
    assert text.count("FAILED  tried again") == 2


def test_findings_are_shown_in_full(users):
    result = run(users, """
        def test_it(apns, push):
            push({"title": "Goal", "boddy": "2-1"})
            assert not apns.lint(severity="error")
    """)
    result.assert_outcomes(failed=1)
    (line,) = [line for line in result.stdout.lines if re.match("E +assert not ", line)]
    assert line.endswith(
        '[push 1: error: "boddy" is not a key of aps/alert; did you mean "body"? It is ignored. [key-misspelled]]'
    )


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("apns.wait(1, timeout=0.01, status=200)", "mock_apns.RequestsMissing: Not enough requests within 10ms."),
        ('apns.verify({"requests": {}, "count": 2})', "mock_apns.ExpectationsFailed: expect[[]0]: 1 of 1 expectation failed."),
        ('apns.device("bob").offline()', 'mock_apns.APIError: No device has the name or the token "bob".*'),
        ('apns.play("busi.json")', 'mock_apns.Error: There is no scenario busi.json in *; did you mean "busy.json"?'),
        ('apns.play("hup.json")', "mock_apns.Error: There is no scenario hup.json in *."),
        ("apns.count(stauts=1)", 'TypeError: a match has no "stauts"; did you mean "status"?'),
        ("apns.play({})", "mock_apns.ExpectationsFailed: tried again: 1 of 1 expectation failed."),
        ("apns.reset()", "mock_apns.ExpectationsFailed: tried again: 1 of 1 expectation failed."),
    ],
)
def test_tracebacks_end_in_the_users_own_line(busy, line, shown):
    result = run(busy, f"""
        def test_it(apns, push):
            apns.play("busy.json")
            push()
            {line}
    """, "--tb=short")
    result.assert_outcomes(failed=1)
    shown_lines = result.stdout.lines
    (found,) = [number for number, text in enumerate(shown_lines) if re.match(r"test_\w+\.py:\d+: in test_it", text)]
    assert shown_lines[found + 1].strip() == line
    rest = [text for text in shown_lines[found + 2 :] if not re.fullmatch(r"\s*\^+\s*", text)]
    result.stdout.fnmatch_lines([f"E   {shown}"])
    assert rest[0].startswith("E   "), rest[0]


def test_skipped_or_xfailed_tests_may_miss_expectations(busy):
    result = run(busy, """
        import pytest

        pytestmark = pytest.mark.apns(scenario="busy.json")

        def test_skipped(apns):
            pytest.skip("today")

        @pytest.mark.xfail(strict=True)
        def test_not_yet(apns, push):
            push()

        @pytest.mark.apns(scenario={})
        def test_the_nearest_mark_wins(push):
            assert push().status_code == 200
    """)
    result.assert_outcomes(skipped=1, xfailed=1, passed=1)
    assert "mock-apns requests" not in result.stdout.str()


def test_manual_clocks_advance_to_the_timelines_end(users):
    scenario = {
        "clock": {"manual": "now"},
        "devices": [{"name": "alice", "token": "a" * 64, "online": False}],
        "timeline": [{"at": "10m", "do": {"device": "alice", "online": True}}],
        "expect": [{"device": "alice", "received": 1}],
    }
    result = run(users, f"""
        import pytest

        @pytest.mark.apns(scenario={scenario!r})
        def test_it(push):
            push(token="a" * 64, expiration="9999999999")
    """)
    result.assert_outcomes(passed=1)


def test_unittest(busy):
    result = run(busy, """
        import unittest
        import pytest

        @pytest.mark.apns(scenario={"expect": [{"name": "one push", "requests": {}, "count": 1}]})
        class Tests(unittest.TestCase):
            @pytest.fixture(autouse=True)
            def server(self, apns, push):
                self.push = push

            def test_pushes(self):
                self.assertEqual(self.push().status_code, 200)

            def test_forgets(self):
                pass
    """)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["FAILED  one push"])


def test_scenarios_lie_beside_tests_or_in_the_root(busy):
    folder = busy.mkdir("inner")
    folder.joinpath("own.json").write_text('{"rules": [{"then": {"reject": "Unregistered"}}]}')
    folder.joinpath("test_inner.py").write_text(
        "import pytest\n"
        '@pytest.mark.apns(scenario="own.json")\ndef test_own(push): assert push().status_code == 410\n'
        'def test_played(apns, push): apns.play("own.json"); assert push().status_code == 410\n'
        '@pytest.mark.apns(scenario="busy.json")\ndef test_root(push): assert push().status_code == 429; push(); push()\n'
    )
    busy.makeini("[pytest]")
    result = busy.runpytest_inprocess("-p", "no:xdist", "--strict-markers")
    result.assert_outcomes(passed=3)


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        ('scenario="bussy.json"', '*There is no scenario bussy.json in *; did you mean "busy.json"?'),
        ('scenario="broken.json"', "*/broken.json: *JSON at line 1, column 12*"),
        ('scenaro="busy.json"', "*The mark apns takes a scenario and nothing else, *scenaro='busy.json'."),
        ("scenario=5", "*A scenario is a path, the name of a built-in one, or a dictionary, not 5."),
    ],
)
def test_mistakes_in_the_mark_are_one_sentence(busy, mark, message):
    busy.path.joinpath("broken.json").write_text('{"rules": [')
    result = run(busy, f"""
        import pytest

        @pytest.mark.apns({mark})
        def test_it(apns):
            pass

        def test_other(apns):
            pass
    """)
    result.assert_outcomes(errors=1, passed=1)
    lines = result.stdout.lines
    start = next(number for number, line in enumerate(lines) if "ERROR at setup of test_it" in line)
    result.stdout.fnmatch_lines([message])
    assert lines[start + 2].startswith("====="), lines[start:]


def test_a_wrong_executable_is_one_sentence(users):
    result = run(users, "def test_one(apns): pass\ndef test_two(apns): pass", "--mock-apns-executable=/bin/echo")
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["/bin/echo is not mock-apns: its first line is *"])
    assert "pytest_plugin.py" not in result.stdout.str()


def test_a_server_that_ends_is_told_and_replaced(users):
    result = run(users, """
        import os, signal

        def test_kills(apns, push):
            push()
            os.kill(apns._process._process.pid, signal.SIGKILL)

        def test_goes_on(apns, push):
            assert push().status_code == 200
    """)
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["* ended by itself (signal 9): it said nothing."])


def test_two_workers_have_a_server_each(users):
    users.makepyfile("""
        import pathlib, time, pytest

        @pytest.mark.parametrize("number", range(8))
        def test_it(apns, push, number, worker_id):
            assert push().status_code == 200
            assert apns.count() == 1
            seen = pathlib.Path(__file__).parent / f"{worker_id}.txt"
            seen.write_text(apns.url)
            # Neither ends before the other has begun.
            while len(list(seen.parent.glob("gw*.txt"))) < 2:
                time.sleep(0.01)

        @pytest.mark.apns(scenario={"expect": [{"name": "two", "requests": {}, "count": 2}]})
        def test_fails(push):
            push()
    """)
    result = users.runpytest_subprocess("-n", "2", "-p", "no:cacheprovider", timeout=PATIENCE)
    result.assert_outcomes(passed=8, failed=1)
    result.stdout.fnmatch_lines(["FAILED  two", "*--- mock-apns requests ---*"])
    urls = {file.read_text() for file in users.path.glob("gw*.txt")}
    assert len(urls) == 2


def test_help_and_marks(users):
    result = users.runpytest_inprocess("--help")
    result.stdout.fnmatch_lines(
        ["*--mock-apns-url=URL*", "*--mock-apns-published-ports=HOST:CONTAINER*", "*--mock-apns-executable=PATH*"]
    )
    result = users.runpytest_inprocess("--markers")
    result.stdout.fnmatch_lines(["@pytest.mark.apns(scenario): *"])


def test_the_plugin_costs_little():
    """Who has it installed and does not use it waits for none of its imports."""
    program = """if True:
        import sys, pytest
        before = set(sys.modules)
        import mock_apns.pytest_plugin
        print(*set(sys.modules) - before)
    """
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=PATIENCE)
    assert set(done.stdout.split()) == {"mock_apns", "mock_apns.pytest_plugin"}


def test_a_pytest_that_is_too_old_is_told(tmp_path):
    program = """if True:
        import pytest, sys
        del pytest.StashKey
        sys.exit(pytest.main(["-p", "no:xdist", "-p", "no:cacheprovider"]))
    """
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert done.stderr.startswith("ERROR: mock-apns needs pytest 7 and pluggy 1.2, or newer ones:"), done.stderr


def test_pytest_that_is_killed(users):
    """The server goes, too, although a process that the test has forked goes on."""
    users.makepyfile("""
        import os

        def test_it(apns):
            child = os.fork()
            if child:
                print(apns.port, child, file=open("started.txt", "w"))
                os.kill(os.getpid(), 9)
            input()
    """)
    with subprocess.Popen([sys.executable, "-m", "pytest", "-s", "-p", "no:xdist", "-p", "no:cacheprovider"],
                          cwd=users.path, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as run:
        assert run.wait(PATIENCE) == -9
        port = int(users.path.joinpath("started.txt").read_text().split()[0])
        until(lambda: not is_open(f"https://127.0.0.1:{port}"))
