"""Live Activities with tokens of their own, as the back end of an app handles them, and the new token of a device."""

import concurrent.futures
import copy
import json

import httpx
import mock_apns
import pytest
from conftest import until

OWN = {
    "liveActivities": {"tokens": "own"},
    "devices": [
        {"name": "alice", "topic": "com.example.app"},
        {"name": "bob", "topics": ["com.example.app", "com.example.other"]},
    ],
}


@pytest.fixture
def send(apns):
    """Pushes an event of a Live Activity to a token and returns the answer; keyword arguments are keys of `aps`."""
    with httpx.Client(http2=True, verify=apns.ssl_context()) as client:

        def send(token, event, **aps):
            headers = {
                "authorization": f"bearer {apns.token()}",
                "apns-topic": f"{apns.topic}.push-type.liveactivity",
                "apns-push-type": "liveactivity",
            }
            aps = {"event": event, "timestamp": 1, "content-state": {"score": "1-0"}, **aps}
            return client.post(f"{apns.url}/3/device/{token}", headers=headers, json={"aps": aps})

        yield send


def start(send, token, **aps):
    given = {"attributes-type": "Match", "attributes": {"home": "Bern"}, "alert": {"title": "Goal"}, **aps}
    return send(token, "start", **given)


def reason(answer):
    return answer.status_code, answer.json()["reason"]


@pytest.mark.apns(OWN)
def test_a_live_activity_from_start_to_end(apns, send):
    alice = apns.device("alice")
    assert reason(start(send, alice.token)) == (400, "DeviceTokenNotForTopic")
    assert start(send, alice.push_to_start_token, **{"input-push-token": 1}).status_code == 200
    (activity,) = alice.wait_for_activities(topic=apns.topic)
    assert (activity["topic"], activity["state"]) == (apns.topic, {"score": "1-0"})
    token = activity["token"]
    assert send(token, "update", timestamp=2, **{"content-state": {"score": "2-0"}}).status_code == 200
    assert alice.activities[0]["state"] == {"score": "2-0"}
    assert send(token, "end", timestamp=3).status_code == 200
    assert reason(send(token, "update", timestamp=4)) == (410, "ExpiredToken")
    with pytest.raises(mock_apns.ActivitiesMissing):
        alice.wait_for_activities(timeout=0)


@pytest.mark.apns(OWN)
def test_without_input_push_token_there_is_no_update_token(apns, send):
    alice = apns.device("alice")
    start(send, alice.push_to_start_token)
    assert [each["token"] for each in alice.wait_for_activities()] == [None]


@pytest.mark.apns(OWN)
def test_what_a_live_activity_has(apns, send):
    alice = apns.device("alice")
    extras = {"input-push-token": 1, "stale-date": 4102444800, "relevance-score": 75}
    assert start(send, alice.push_to_start_token, **extras).status_code == 200
    (match,) = alice.wait_for_activities()
    assert isinstance(match, mock_apns.Activity) and (match,) == (alice.activities[0],)
    assert (match.token, match.sequence, match.event, match.name) == (match["token"], 1, "start", None)
    assert (match.topic, match.attributes_type, match.attributes) == (apns.topic, "Match", {"home": "Bern"})
    assert (match.state, match.alert["title"], match.channel) == ({"score": "1-0"}, "Goal", None)
    assert match.started_at < match.ends_at and match.stale_date.year == 2100
    assert (match.is_stale, match.relevance_score, match.ignored) == (False, 75, ())
    shown = f"{match.token[:8]}…{match.token[-4:]}"
    whole = f'<Activity of {apns.topic}: attributes_type "Match", start, push 1, state {{"score": "1-0"}}, token {shown}>'
    assert repr(match) == whole

    # It stays the dictionary that the server sent.
    (raw,) = alice.raw["activities"]
    assert match == raw == match.raw and dict(match) == json.loads(json.dumps(match)) == raw
    assert (match.get("topic"), "token" in match, match["startedAt"]) == (apns.topic, True, raw["startedAt"])
    assert copy.deepcopy(match) == match and copy.copy(match).token == match.token
    with pytest.raises(AttributeError, match='^Activity has no "startedAt"; did you mean "started_at"?'):
        match.startedAt

    send(match.token, "update", timestamp=0, **{"content-state": {"score": "x" * 100}})
    (match,) = alice.activities
    assert [(each["sequence"], "timestamp" in each["why"]) for each in match.ignored] == [(2, True)]
    send(match.token, "update", timestamp=2, **{"content-state": {"score": "x" * 100}})
    assert f"update, push 3, state {{\"score\": \"{'x' * 69}…, token {shown}>" in repr(alice.activities[0])
    alice.dismiss_activity(match.token)
    alice.start_activity("a\nb")
    (other,) = alice.activities
    assert (other.sequence, other.attributes_type, other.stale_date) == (None, None, None)
    assert repr(other).startswith(rf'<Activity of {apns.topic}: name "a\nb", start, ')


def test_a_new_phone(apns, push):
    by_token = apns.add_device({"topic": apns.topic})
    by_name = apns.add_device({"name": "bob", "topic": apns.topic})
    for device in by_token, by_name:
        old = device.token
        assert push(token=old).status_code == 200
        device.offline()
        assert push(token=old).status_code == 200
        device.online()
        device.offline()
        assert push(token=old).status_code == 200
        assert len(device.displayed) == len(device.history) == device.received == 2 and device.stored
        new = device.renew_token()
        assert device.displayed == device.history == device.stored == []
        assert device.received == device.badge == 0
        device.online()
        assert device.token == new != old
        assert reason(push(token=old)) == (410, "Unregistered")
        assert push(token=new).status_code == 200
        assert device.received == 1
    assert (by_token.name, by_name.name) == (by_token.token, "bob")
    # By the token of a device that has a name.
    bob = apns.device(by_name.token)
    assert bob.renew_token() == bob.name == by_name.token


@pytest.mark.apns(OWN)
def test_a_new_phone_has_no_activities(apns):
    alice = apns.device("alice")
    before = alice.push_to_start_token
    alice.start_activity()
    alice.renew_token()
    assert alice.activities == []
    assert alice.push_to_start_token != before


@pytest.mark.apns(OWN)
def test_activities_that_the_app_starts(apns, send):
    alice, bob = apns.device("alice"), apns.device("bob")
    alice.start_activity("score", token="ab" * 32)
    assert send("ab" * 32, "update").status_code == 200
    alice.dismiss_activity("score")
    assert alice.activities == []
    assert reason(send("ab" * 32, "update")) == (410, "ExpiredToken")
    alice.start_activity("score")
    alice.end_activity("score")
    assert [each["event"] for each in alice.activities] == ["end"]
    with pytest.raises(mock_apns.APIError, match='no Live Activity "scroe" on its screen; did you mean "score"?') as vain:
        alice.end_activity("scroe")
    assert vain.value.pointer == "/endActivity"
    bob.start_activity()
    bob.start_activity(topic="com.example.other")
    assert len(bob.wait_for_activities(2)) == 2
    (other,) = bob.wait_for_activities(topic="com.example.other")
    assert (other["topic"], len(other["token"])) == ("com.example.other", 64)


@pytest.mark.apns(OWN)
def test_a_name_is_given_once(apns):
    alice = apns.device("alice")
    alice.start_activity("score")
    with pytest.raises(mock_apns.APIError, match='has a Live Activity "score" already; give this one another name'):
        alice.start_activity("score")
    alice.end_activity("score")
    alice.start_activity("score")


def test_tokens_for_starting(apns):
    assert apns.add_device({"name": "alice"}).push_to_start_token is None
    assert apns.add_device({"name": "carol", "pushToStartToken": "cd" * 32}).push_to_start_token == "cd" * 32
    apns.play(OWN)
    assert set(apns.device("bob").push_to_start_token) == {"com.example.app", "com.example.other"}


@pytest.mark.apns(OWN)
def test_waiting_for_activities(apns):
    alice = apns.device("alice")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        waiting = pool.submit(alice.wait_for_activities, 2, timeout="5m")
        for name in "one", "two":
            assert not waiting.done()
            alice.start_activity(name)
        until(waiting.done)
    assert [each["name"] for each in waiting.result()] == ["one", "two"]


@pytest.mark.apns(OWN)
def test_activities_that_are_missing(apns, push, send):
    alice = apns.device("alice")
    alice.start_activity()
    with pytest.raises(AssertionError) as raised:
        alice.wait_for_activities(2, topic=apns.topic, timeout=0.05)
    assert isinstance(raised.value, mock_apns.ActivitiesMissing)
    assert str(raised.value) == (
        "Not enough Live Activities within 50ms.\n"
        "  expected  at least 2 Live Activities of alice with topic com.example.app, not ended\n"
        "  seen      1 Live Activity\n"
        "No request arrived. There was no connection."
    )
    assert list(raised.value.activities) == alice.activities
    start(send, alice.push_to_start_token, timestamp=None)
    with pytest.raises(mock_apns.ActivitiesMissing, match=r"seen      1 Live Activity\n  push 1 was ignored: .*timestamp"):
        alice.wait_for_activities(2, timeout=0)
    # Other pushes in vain do not crowd it out.
    alice.app("forceQuit")
    wake = {"token": alice.token, "headers": {"apns-push-type": "background", "apns-priority": "5"}}
    apns._admin.post("/pushes", {**wake, "payload": {"aps": {"content-available": 1}}, "repeat": 4})
    assert [each.state for each in alice.history[-4:]] == ["dropped"] * 4
    with pytest.raises(mock_apns.ActivitiesMissing, match=r"\n  push 1 was ignored: .*timestamp.*$"):
        alice.wait_for_activities(2, timeout=0)
    push()
    with pytest.raises(mock_apns.ActivitiesMissing, match=r"of bob, not ended\n  seen      0 Live Activities$"):
        apns.device("bob").wait_for_activities(timeout="50ms")
    with pytest.raises(mock_apns.APIError, match="^count is 0; ") as refused:
        alice.wait_for_activities(0)
    assert refused.value.pointer == "/count"
    with pytest.raises(mock_apns.APIError, match="No device has the name .* apns.add_device"):
        apns.device("nobody").wait_for_activities()
