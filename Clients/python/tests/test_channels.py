"""Calls about broadcast channels: what a report shows of them, and how a device listens."""

import http.client
import json
import time
import urllib.parse

import httpx
import mock_apns
import pytest
from pushing import ALICE

APP = "com.example.app"
FINAL = {
    "channels": [{"name": "final", "topic": APP}],
    "devices": [{"name": "alice", "token": ALICE, "topic": APP, "activities": [{"name": "score", "channel": "final"}]}],
}


@pytest.fixture
def call(apns):
    """Makes a call about channels, `call("publish")` by default to the channel final, and returns the answer."""
    with httpx.Client(http2=True, base_url=apns.url, verify=apns.ssl_context()) as client:

        def call(kind, channel=None):
            fields = {"authorization": f"bearer {apns.token()}"}
            if kind == "list":
                return client.get(f"/1/apps/{APP}/all-channels", headers=fields)
            if kind == "create":
                policy = {"message-storage-policy": 1, "push-type": "LiveActivity"}
                return client.post(f"/1/apps/{APP}/channels", headers=fields, json=policy)
            fields["apns-channel-id"] = channel or apns.channel("final").id
            if kind == "delete":
                return client.request("DELETE", f"/1/apps/{APP}/channels", headers=fields)
            fields.update({"apns-push-type": "liveactivity", "apns-expiration": "0"})
            aps = {"timestamp": int(time.time()), "event": "update", "content-state": {"score": "1-0"}}
            return client.post(f"/4/broadcasts/apps/{APP}", headers=fields, json={"aps": aps})

        yield call


@pytest.mark.apns(FINAL)
def test_calls_about_channels_are_requests(apns, call):
    assert call("publish").status_code == 200
    with pytest.raises(mock_apns.RequestsMissing) as raised:
        apns.wait(2, timeout=0, call="publish")
    assert str(raised.value).splitlines()[2:] == ["  seen      1 request, number 1"]
    with pytest.raises(mock_apns.RequestsMissing) as raised:
        apns.wait(1, timeout=0)
    assert str(raised.value).splitlines()[2:] == [
        "  seen      0 requests",
        'No push to a device arrived, but 1 call about channels, found by a match that names call="publish" or another.',
    ]
    with pytest.raises(mock_apns.ExpectationsFailed) as failed:
        apns.verify({"requests": {"call": "publish"}, "count": 2})
    assert "No request arrived" not in str(failed.value)
    with pytest.raises(mock_apns.ActivitiesMissing) as missing:
        apns.device("alice").wait_for_activities(2, timeout=0)
    assert "No request arrived" not in str(missing.value)
    assert (apns.device("alice").history, apns.device("alice").received) == ([], 0)


def test_a_report_has_calls_about_channels(users):
    users.makeconftest((users.path / "conftest.py").read_text() + "\nfrom test_channels import call\n")
    users.makepyfile(f"""
        import pytest

        @pytest.mark.apns({FINAL!r})
        def test_it(apns, push, call):
            call("publish"), push(), call("publish", "x"), call("list"), call("create"), call("delete")
            assert 1 == 2
    """)
    result = users.runpytest_inprocess("-p", "no:xdist", "-p", "no:cacheprovider")
    result.stdout.fnmatch_lines([
        "6 requests:",
        "  1  *  publish to channel final, 200",
        "     expiration 0",
        '     {"aps": {"timestamp": *',
        "  2  *  alert to alice, 200",
        '     {"aps": {"alert": "Goal"}}',
        "  3  *  publish to channel x, 400 BadChannelId",
        "     apns-channel-id is *",
        "     expiration 0",
        '     {"aps": {"timestamp": *',
        "  4  *  list channels, 200",
        "  5  *  create channel *, 201",
        "  6  *  delete channel final, 204",
    ], consecutive=True)


def test_expectations_about_calls_are_not_dropped(apns, call):
    apns.play({**FINAL, "expect": [{"requests": {"call": "publish"}, "count": 2}]})
    call("publish")
    with pytest.raises(mock_apns.ExpectationsFailed):
        apns.play(FINAL)
    call("publish")
    apns.play(FINAL)


@pytest.mark.apns(FINAL)
def test_calls_take_what_other_calls_return(apns):
    alice, final = apns.device("alice"), apns.channel("final")
    started = alice.subscribe(final)
    assert (started.channel, started.name) == (final.id, None)
    assert alice.subscribe("final", "second") == alice.activities[-1]
    with pytest.raises(ValueError, match="^end_activity cannot find <Activity of com.example.app: start, channel .*, which has"):
        alice.end_activity(started)
    alice.unsubscribe(final)
    assert alice.activities == []
    apns.remove_channel(final)
    assert apns.channels() == []

    one, two = alice.start_activity("one"), alice.start_activity()
    assert isinstance(one, mock_apns.Activity) and (one.name, two.name) == ("one", None)
    assert alice.activities == [one, two]
    alice.end_activity(two)
    assert [each.event for each in alice.activities] == ["start", "end"]
    alice.dismiss_activity(two)
    alice.dismiss_activity(one)
    assert alice.activities == []
    for vain in (None, 7, final):
        with pytest.raises(TypeError, match="^dismiss_activity takes a Live Activity, its name or its update token, not "):
            alice.dismiss_activity(vain)
        with pytest.raises(TypeError, match="^subscribe takes a channel, its name or its id, not "):
            alice.subscribe(one if vain is final else vain)


def get(url):
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port)
    connection.request("GET", parts.path)
    return json.loads(connection.getresponse().read())


def test_the_address_of_the_api_is_that_of_the_test(apns, push):
    push()
    assert apns.api_url == apns.env["MOCK_APNS_ADMIN_URL"] + "/api/v1"
    assert get(apns.api_url + "/requests")["total"] == 1
    with apns.session("other") as session:
        assert session.api_url == session.env["MOCK_APNS_ADMIN_URL"] == apns.api_url + "/sessions/other"
        assert get(session.api_url + "/requests")["total"] == 0
        assert mock_apns.APNs(session.api_url).count() == 0
    with pytest.raises(mock_apns.StartError, match="The server is not running"):
        mock_apns.Server().api_url
