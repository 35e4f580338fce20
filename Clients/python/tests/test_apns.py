"""What a test can ask of a server, and tell it."""

import base64
import concurrent.futures
import copy
import dataclasses
import datetime
import json
import os
import pathlib
import pickle
import re
import subprocess

import mock_apns
import pytest
from conftest import PATIENCE, ROOT, until
from mock_apns import _names, _server
from mock_apns._executable import find_executable
from pushing import ALICE

SCENARIO = {
    "clock": {"manual": "2026-01-01T00:00:00Z"},
    "devices": [{"name": "alice", "token": ALICE, "topic": "com.example.app"}],
}
SCHEMAS = json.loads((ROOT / "Sources/MockAPNSAdmin/openapi.json").read_text())["components"]["schemas"]


def test_what_a_provider_needs(apns):
    assert apns.url == f"https://{apns.host}:{apns.port}"
    assert (apns.key_id, apns.team_id, apns.topic) == ("ABC123DEFG", "DEF123GHIJ", "com.example.app")
    assert apns.ca.read_text().startswith("-----BEGIN CERTIFICATE-----")
    assert apns.key.read_text().startswith("-----BEGIN PRIVATE KEY-----")
    assert apns.key.stat().st_mode & 0o077 == 0
    assert apns.token().count(".") == 2
    assert apns.token() == apns.token()
    assert apns.token(issued_at=1) != apns.token()


def issued_at(token):
    claims = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["iat"]


def test_tokens_of_another_time(apns):
    noon = datetime.datetime(2026, 1, 1, 12, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
    assert issued_at(apns.token(issued_at=noon)) == 1767261600
    assert [issued_at(apns.token(issued_at=each)) for each in (7, 7.9)] == [7, 7]
    with pytest.raises(ValueError, match=r"^A time needs a time zone, as in datetime.now\(timezone.utc\); .* has none.$"):
        apns.token(issued_at=noon.replace(tzinfo=None))
    for wrong in ("noon", True, float("inf"), datetime.date(2026, 1, 1)):
        with pytest.raises(TypeError, match="^A time is a number of UNIX seconds, or a datetime with a time zone, not "):
            apns.token(issued_at=wrong)


def test_a_push(apns, push):
    answer = push("Goal", collapse_id="score", priority="5")
    (record,) = apns.requests()
    assert (record.sequence, record.status, record.reason, record.outcome) == (1, 200, None, "responded")
    assert (record.token, record.device, record.topic) == (ALICE, None, "com.example.app")
    assert (record.collapse_id, record.priority, record.push_type) == ("score", 5, "alert")
    assert record.payload == {"aps": {"alert": "Goal"}}
    assert record.payload_bytes == 24
    assert record.apns_id == record["apnsID"] == record.raw["apnsID"] == answer.headers["apns-id"]
    assert record.header("Apns-Collapse-ID") == "score"
    assert record.header("x-other") is None
    assert record.time.tzinfo is datetime.timezone.utc
    assert (record.authentication.method, record.authentication.key_id) == ("token", "ABC123DEFG")
    assert repr(record) == "<Record 1: alert to 00fc13ad…e8f0, 200>"
    assert record == apns.requests()[0]
    assert pickle.loads(pickle.dumps(record)) == record
    with pytest.raises(AttributeError):
        record.status = 500


def test_a_rejection_explains_itself(apns, push):
    assert push(priority="7").json() == {"reason": "BadPriority"}
    (record,) = apns.requests(status=400)
    assert repr(record) == "<Record 1: alert to 00fc13ad…e8f0, 400 BadPriority>"
    assert "7" in record.explanation


def test_matches(apns, push):
    push(collapse_id="score")
    push(priority="5")
    assert apns.count() == 2
    assert apns.count(collapse_id=None) == 1
    assert [each.sequence for each in apns.requests(priority={"atMost": 5})] == [2]
    assert [each.sequence for each in apns.requests(collapse_id={"prefix": "sc"}, status=200)] == [1]
    assert apns.count(payload={"/aps/alert": "Goal"}, header={"apns-priority": "5"}) == 1


def test_many_requests_are_read_page_by_page(apns, push, monkeypatch):
    pages = []
    exchange = apns._admin.exchange

    def counted(method, path, body=None, **rest):
        if path == "/requests/find":
            pages.append(body["after"])
            body = {**body, "limit": 2} if len(pages) < 2 else body
        status, answer = exchange(method, path, body, **rest)
        if path == "/requests/find" and len(pages) < 2:
            answer["requests"] *= 500
        return status, answer

    monkeypatch.setattr(apns._admin, "exchange", counted)
    for _ in range(3):
        push()
    assert [each.sequence for each in apns.requests()][-2:] == [2, 3]
    assert pages == [0, 2]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda apns: apns.requests(pushType="alert"), 'a match has no "pushType"; did you mean "push_type"?'),
        (lambda apns: apns.wait(stauts=200), 'wait has no "stauts"; did you mean "status"?'),
        (lambda apns: apns.wait(timout=3), 'wait has no "timout"; did you mean "timeout"?'),
        (lambda apns: apns.wait_for_none(timeout=1), 'wait_for_none has no "timeout"; did you mean "time"?'),
        (lambda apns: apns.count(xyz=1), 'a match has no "xyz"; there are device, token, '),
        (lambda apns: apns.rule({"pass": True}, tims=1), 'a rule has no "tims"; did you mean "times"?'),
        (lambda apns: apns.rule({"pass": True}, {"status": 1}), 'a rule\'s when has no "status"; '),
        (lambda apns: apns.rule({"pass": True}, wen={}), 'a rule has no "wen"; did you mean "when"?'),
        (lambda apns: apns.rule({"pass": True}, xyz={}), 'a rule has no "xyz"; there are when, name, '),
        (lambda apns: apns.play(5), "A scenario is a path, the name of a built-in one, or a dictionary, not 5."),
    ],
)
def test_unknown_names(apns, call, message):
    with pytest.raises(TypeError, match=re.escape(message)):
        call(apns)


def test_unknown_attributes(apns, push):
    push()
    (record,) = apns.requests()
    with pytest.raises(AttributeError, match='Record has no "collapseid"; did you mean "collapse_id"?'):
        record.collapseid
    with pytest.raises(AttributeError, match='APNs has no "requsts"; did you mean "requests"?'):
        mock_apns.APNs(apns.env["MOCK_APNS_ADMIN_URL"]).requsts
    with pytest.raises(AttributeError, match='Server has no "displayd"; there are add_channel, add_device, '):
        apns.displayd
    assert not hasattr(record, "__html__")
    assert copy.copy(record) == pickle.loads(pickle.dumps(record)) == record


def test_all_mistakes_of_a_dictionary_are_told(apns):
    with pytest.raises(mock_apns.APIError) as raised:
        apns.play({"rulez": [], "expect": [{"requests": {}, "cuont": 1}]})
    first, second = str(raised.value).splitlines()
    assert first.startswith('rulez is not a key of a scenario; did you mean "rules"?')
    assert second.startswith("expect[0].cuont is not a key")


def test_errors_of_the_server(apns):
    with pytest.raises(mock_apns.APIError, match='then.rejekt is not a key of a step; did you mean "reject"?') as raised:
        apns.rule({"rejekt": "TooManyRequests"})
    assert raised.value.pointer == "/then/rejekt"
    assert (raised.value.code, raised.value.status) == ("badValue", 400)
    with pytest.raises(mock_apns.APIError, match='"bob"'):
        apns.device("bob").offline()
    with pytest.raises(mock_apns.APIError, match="The clock is real"):
        apns.advance("10m")


def test_wait(apns, push):
    push()
    assert [each.sequence for each in apns.wait(1, status=200)] == [1]
    with pytest.raises(AssertionError) as raised:
        apns.wait(2, timeout=0.05, status=429)
    assert isinstance(raised.value, mock_apns.RequestsMissing)
    assert str(raised.value) == (
        "Not enough requests within 50ms.\n"
        "  expected  at least 2 requests with status 429\n"
        "  seen      0 requests\n"
        "  nearest   request 1: status is 200, not 429"
    )
    (miss,) = raised.value.near_misses
    assert (miss.sequence, miss.differences[0]["found"]) == (1, 200)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda apns: apns.wait(0), ValueError, "wait(0) waits for no request; use wait_for_none, such as wait_for_none(1)."),
        (lambda apns: apns.wait(-1), ValueError, "wait(-1) waits for no request; use wait_for_none"),
        (lambda apns: apns.wait("1"), TypeError, "wait takes a number of requests, such as wait(2), not '1'."),
        (lambda apns: apns.wait(True), TypeError, "wait takes a number of requests, such as wait(2), not True."),
        (lambda apns: apns.wait(1, timeout=-3), ValueError, "A duration is 0 or more, and not infinite; this one is -3."),
        (lambda apns: apns.wait_for_none(-1), ValueError, "A duration is 0 or more"),
        (lambda apns: apns.session(expires_after=-1), ValueError, "A duration is 0 or more"),
        (lambda apns: apns.advance(-5), ValueError, "A duration is 0 or more, and not infinite; this one is -5."),
        (lambda apns: apns.advance(datetime.timedelta(seconds=-5)), ValueError, "A duration is 0 or more"),
        (lambda apns: apns.advance(float("inf")), ValueError, "A duration is 0 or more"),
        (lambda apns: apns.advance(float("nan")), ValueError, "A duration is 0 or more"),
        (lambda apns: apns.advance(None), TypeError, "A duration is a number of seconds, a text such as \"5s\", or a "),
        (lambda apns: apns.advance(True), TypeError, "A duration is a number of seconds"),
    ],
)
def test_counts_and_durations(apns, call, error, message):
    apns.play({"clock": {"manual": "now"}})
    with pytest.raises(error, match="^" + re.escape(message)):
        call(apns)


def test_wait_when_no_client_connects(apns):
    with pytest.raises(mock_apns.RequestsMissing, match="within 50ms(?s:.*)No request arrived. There was no connection."):
        apns.wait(timeout=datetime.timedelta(milliseconds=50))


def test_rules(apns, push):
    name = apns.rule(
        [{"reject": "TooManyRequests"}, {"reject": "ServiceUnavailable"}],
        when={"push_type": "alert", "collapseID": {"prefix": "score"}},
        name="busy",
        count_per="token",
    )
    assert name == "busy"
    assert [push(collapse_id="score-1").status_code for _ in range(3)] == [429, 503, 200]
    assert push().status_code == 200
    assert apns.count(decided_by={"prefix": "rule:bus"}) == 2


def test_channels(apns):
    apns.play(SCENARIO)
    channel = apns.add_channel("final", storage="none")
    assert (channel.name, channel.storage, channel.published) == ("final", "none", 0)
    assert (channel.stored, apns.unique_subscribers(), apns.manage_urls) == (None, 0, [])
    assert set(SCHEMAS["Channel"]["properties"]) == set(channel.raw)
    alice = apns.device("alice")
    alice.subscribe("final", name="score")
    assert [each["channel"] for each in alice.activities] == [channel.id]
    assert repr(alice.activities[0]).endswith(f", channel {channel.id}>")
    assert apns.channel(channel.id).subscribers == apns.channel("final").subscribers == 1
    assert (apns.unique_subscribers(), apns.unique_subscribers("com.example.other")) == (1, 0)
    with pytest.raises(mock_apns.APIError, match='did you mean "final"'):
        alice.subscribe("finel")
    alice.end_activity("score")
    alice.subscribe(channel.id)
    alice.unsubscribe("final")
    assert apns.channels()[0].subscribers == 0
    apns.verify({"channel": "final", "published": 0}, {"channels": 1})
    apns.remove_channel("final")
    assert apns.channels() == []
    with pytest.raises(mock_apns.APIError, match='No channel has the name or the id "final"'):
        apns.channel("final")


def test_channels_of_several_pages(apns):
    names = [f"c{number}" for number in range(2001)]
    listening = [{"channel": "c0"}, {"channel": "c2000"}]
    device = {**SCENARIO["devices"][0], "activities": listening}
    channels = [{"name": name, "topic": "com.example.app"} for name in names]
    apns.play({**SCENARIO, "devices": [device], "channels": channels})
    assert [channel.name for channel in apns.channels()] == names
    assert apns.unique_subscribers() == 1


def test_devices_and_clock(apns, push):
    apns.play(SCENARIO)
    alice = apns.device("alice")
    alice.offline()
    push("1-0", expiration="9999999999")
    assert (alice.displayed, alice.received, len(alice.stored)) == ([], 0, 1)
    assert alice.stored[0].expires_at > datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    apns.advance("10m")
    apns.advance(datetime.timedelta(minutes=5))
    alice.online()
    (shown,) = alice.displayed
    assert (shown.sequence, shown.payload["aps"]["alert"], alice.received) == (1, "1-0", 1)
    assert shown.displayed_at == datetime.datetime(2026, 1, 1, 0, 15, tzinfo=datetime.timezone.utc)
    assert (alice.token, alice.badge) == (ALICE, 0)
    alice.uninstall()
    assert push().json()["reason"] == "Unregistered"


def test_devices_must_be_declared_or_pushed_to(apns, push):
    alice = apns.device(ALICE)
    message = "^No device has the name or the token .* declared, .* apns.add_device.* pushed to it.$"
    for call in (alice.uninstall, lambda: alice.displayed):
        with pytest.raises(mock_apns.APIError, match=message) as raised:
            call()
        assert (raised.value.code, raised.value.status) == ("notFound", 404)
    push()
    alice.uninstall()
    assert push().status_code == 410
    with pytest.raises(mock_apns.APIError) as raised:
        alice.subscribe("nowhere")
    assert "declared" not in str(raised.value)


def test_devices_that_are_added(apns, push):
    bob = apns.add_device({"name": "bob", "topic": "com.example.other", "online": False})
    assert (bob.name, apns.device(bob.token).raw["name"]) == ("bob", "bob")
    assert push(token=bob.token).json() == {"reason": "DeviceTokenNotForTopic"}
    assert apns.add_device({"token": ALICE}).token == ALICE
    bob.delete()
    with pytest.raises(mock_apns.APIError) as raised:
        bob.raw
    assert raised.value.status == 404
    # One that no scenario declares is any app's.
    assert push(token=apns.add_device({"name": "bob"}).token).status_code == 200
    with pytest.raises(mock_apns.APIError, match='did you mean "topic"'):
        apns.add_device({"topik": "com.example.other"})


def test_what_a_person_reads(apns, push):
    push({"title": "Goal", "body": "1-0"})
    (displayed,) = apns.device(ALICE).displayed
    assert (displayed.shown["title"], displayed.shown["body"], displayed.shown["level"]) == ("Goal", "1-0", "active")
    assert set(displayed.shown) == set(SCHEMAS["ShownNotification"]["properties"])


def test_deliveries(apns, push):
    apns.play(SCENARIO)
    apns.device("alice").offline()
    push(expiration="9999999999")
    apns.advance("10m")
    apns.device("alice").online()
    (record,) = apns.requests()
    began = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    stored = {"state": "Stored - Device Offline", "clock": "2026-01-01T00:00:00.000Z"}
    later = {"state": "Delivered to Device (From Storage)", "clock": "2026-01-01T00:10:00.000Z"}
    # A server that is older than this member does not send it.
    raw = {"deliveries": [stored, later], **record.raw}
    assert mock_apns.Record.of(raw).deliveries == (
        (stored["state"], began),
        (later["state"], began + datetime.timedelta(minutes=10)),
    )
    assert len(record.deliveries) == len(record.raw.get("deliveries", ()))


def test_findings_are_shown_as_the_command_shows_them(apns, push, tmp_path):
    for body in ("Goal", {"boddy": "2-1"}, {"title": "Goal"}, {"body": "2-1", "boddy": "2-1"}, {"title": "\x1b"}):
        push(body)
    for _ in range(3):
        push(priority="5")
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(record.raw) + "\n" for record in apns.requests()))
    command = [find_executable(), "lint", "--log", log]
    told = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE).stdout.splitlines()
    found = list(map(repr, apns.lint()))
    assert found and found == [line.replace(f"{log}: ", "") for line in told]
    (finding,) = apns.lint(rule="key-misspelled")
    assert repr(finding) == (
        'push 2: error: "boddy" is not a key of aps/alert; did you mean "body"? It is ignored.'
        " (2 times, last in push 4) [key-misspelled]"
    )
    worst = dataclasses.replace(finding, message="Bad\x1b.", sequence=3, count=3)
    assert repr(worst) == r"push 3: error: Bad\u{1B}. (3 times, first in push 2, last in push 4) [key-misspelled]"
    assert repr(dataclasses.replace(worst, sequence=None)) == r"error: Bad\u{1B}. [key-misspelled]"


def test_lint(apns, push):
    push("Goal")
    assert apns.lint(severity="warning") == []
    for _ in range(2):
        push({"title": "Goal", "boddy": "2-1"})
    (finding,) = apns.lint(severity="error")
    assert (finding.rule, finding.pointer, finding.count) == ("key-misspelled", "/aps/alert/boddy", 2)
    assert (finding.first_sequence, finding.last_sequence) == (2, 3)
    assert apns.lint(rule="key-misspelled", sequence=1) == []
    with pytest.raises(mock_apns.APIError, match="severity"):
        apns.lint(severity="bad")
    properties = SCHEMAS["LintFindings"]["properties"]["findings"]["items"]["properties"]
    assert {_names.camel(field.name) for field in dataclasses.fields(mock_apns.Finding)} == set(properties)


def test_verify(apns, push):
    push()
    apns.verify()
    apns.verify({"requests": {"status": 200}, "count": 1}, {"connections": 1})
    with pytest.raises(mock_apns.ExpectationsFailed, match="2 requests with status 200") as raised:
        apns.verify({"name": "twice", "requests": {"status": 200}, "count": 2})
    assert isinstance(raised.value, AssertionError)
    assert raised.value.report.startswith("1 of 1 expectation failed.\nFAILED  twice\n")
    assert str(raised.value) == f"twice: {raised.value.report}"
    again = pickle.loads(pickle.dumps(raised.value))
    assert (str(again), again.results) == (str(raised.value), raised.value.results)
    assert [(each.name, each.passed) for each in raised.value.results] == [("twice", False)]


def test_rules_that_never_applied(apns, push):
    push()
    assert apns.verify().unused_rules == ()
    name = apns.rule({"stall": True}, when={"topic": "com.example.other"})
    verified = apns.verify({"requests": {"status": 200}, "count": 1})
    assert verified.unused_rules == (name,) and [each.passed for each in verified.results] == [True]
    assert verified.report == f"The expectation holds.\n1 rule never applied: {name}."
    with pytest.raises(mock_apns.ExpectationsFailed) as raised:
        apns.verify({"requests": {}, "count": 2})
    assert raised.value.unused_rules == (name,)
    assert apns.dropped == 0


def test_goaway(apns, push):
    push()
    (connection,) = apns.go_away("Shutdown", last_stream="all")
    assert connection == apns.requests()[0].connection_id
    apns.verify({"requests": {}, "count": 1}, {"connections": 1})
    with pytest.raises(mock_apns.APIError, match="Shutdon"):
        apns.go_away("Shutdon")


def test_reset_and_play(apns, push, tmp_path):
    push()
    apns.reset()
    assert apns.count() == 0
    apns.play({"rules": [{"then": {"reject": "TooManyRequests"}}]})
    assert push().status_code == 429
    apns.play({})
    assert push().status_code == 200
    (tmp_path / "busy.json").write_text('{"rules": [{"then": {"rejekt": "X"}}]}')
    with pytest.raises(mock_apns.APIError) as raised:
        apns.play(tmp_path / "busy.json")
    assert str(raised.value).startswith(f"{tmp_path}/busy.json: Line 1, column ")
    assert raised.value.pointer == "/rules/0/then/rejekt"
    with pytest.raises(mock_apns.Error, match=r'no scenario .*/bussy.json.$'):
        apns.play(tmp_path / "bussy.json")


def test_a_scenario_with_keys_of_its_own(apns, push, tmp_path):
    made = apns.key.read_text()
    apns.play({"authentication": {"teams": [{"teamID": "TEAM000001", "keys": [{"keyID": "KEY0000001"}]}]}})
    assert (apns.team_id, apns.key_id, apns.key.name) == ("TEAM000001", "KEY0000001", "AuthKey_KEY0000001.p8")
    assert apns.key.read_text() != made
    assert push().status_code == 200
    (tmp_path / "own.p8").write_text(made)
    team = {"teamID": "TEAM000001", "keys": [{"keyID": "KEY0000002", "file": "own.p8"}]}
    (tmp_path / "own.json").write_text(json.dumps({"authentication": {"teams": [team]}}))
    apns.play(tmp_path / "own.json")
    assert apns.key_id == "KEY0000002"
    with pytest.raises(mock_apns.Error, match="KEY0000002 is the scenario's own"):
        apns.key


def test_variables(apns):
    """They are those of `mock-apns exec`, with the same content."""
    command = [find_executable(), "exec", "--quiet", "--certs", str(apns.ca.parent.parent / "exec"), "--", "env"]
    plain = {"PATH": os.environ["PATH"]}
    told = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE, env=plain).stdout
    theirs = set(re.findall(r"^(\w+)=", told, re.MULTILINE)) - set(plain)
    assert set(apns.env) == theirs
    assert apns.env["MOCK_APNS_URL"] == apns.url
    for bundle in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"):
        assert pathlib.Path(apns.env[bundle]).read_text().endswith(apns.ca.read_text())


def test_waiting_for_none(apns, push):
    push()
    apns.wait_for_none("10ms")
    apns.wait_for_none(0.01, status=429)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        waiting = pool.submit(apns.wait_for_none, "5m", status=200)
        until(lambda: waiting.done() or push().is_error)
        with pytest.raises(mock_apns.UnexpectedRequests, match="request [0-9]+: status 200, /3/device/") as raised:
            waiting.result()
    assert raised.value.requests[0].status == 200
    with pytest.raises(mock_apns.APIError, match='"601'):
        apns.wait_for_none(601)


def test_what_was_trusted_before_stays(apns, monkeypatch, tmp_path):
    (tmp_path / "roots").mkdir()
    (tmp_path / "roots/a").write_text("roots of a")
    (tmp_path / "file").write_text("roots of file")
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CURL_CA_BUNDLE", str(tmp_path / "roots"))
    monkeypatch.setenv("NODE_EXTRA_CA_CERTS", str(tmp_path / "file"))
    monkeypatch.setenv("NO_PROXY", "a.example")
    ours, env = apns.ca.read_text(), apns.env
    read = {name: pathlib.Path(value).read_text() for name, value in env.items() if value.endswith(".pem")}
    assert read["CURL_CA_BUNDLE"] == read["REQUESTS_CA_BUNDLE"] == f"roots of a\n{ours}"
    assert read["NODE_EXTRA_CA_CERTS"] == f"roots of file\n{ours}"
    assert "roots of" not in read["SSL_CERT_FILE"]
    assert env["no_proxy"] == env["NO_PROXY"] == f"a.example,{apns.host},localhost,::1"


def test_names_are_those_of_the_server():
    def described(schema, *but):
        return {_names.snake(name) for name in SCHEMAS[schema]["properties"]} - {"$comment", *but}

    assert set(_names.MATCH) == described("Match", "on")
    assert {_names.camel(name) for name in _names.MATCH} <= set(SCHEMAS["Match"]["properties"])
    assert set(_names.RULE) == described("Rule", "when", "then")
    # `session` is in the log file only.
    assert set(mock_apns.Record.__dataclass_fields__) == described("RequestRecord", "event", "session") | {"raw"}
    assert set(mock_apns.Authentication.__dataclass_fields__) == described("Authentication")
    assert set(mock_apns.Activity.__dataclass_fields__) == described("LiveActivity") | {"raw"}
    told = subprocess.run([find_executable(), "serve", "--help"], check=True, capture_output=True, text=True).stdout
    options = {option[2:].replace("-", "_") for option in re.findall(r"^  (--[a-z-]+)", told, re.MULTILINE)}
    assert set(_server.OPTIONS) == options - {"scenario", "quiet", "version", "help", "open", "exit_with_parent"}
