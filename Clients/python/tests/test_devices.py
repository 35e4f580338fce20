"""What a device does with a push that APNs has delivered to it, and what its user does with the notification."""

import datetime

import httpx
import mock_apns
import pytest
from pushing import ALICE

TOPIC, OTHER = "com.example.app", "com.example.other"
SCENARIO = {
    "clock": {"manual": "2026-01-01T00:00:00Z"},
    "apps": [{
        "topic": TOPIC,
        "categories": [{"id": "GAME", "actions": [{"id": "WATCH", "title": "Watch"}, {"id": "REPLY", "title": "Reply", "textInput": {}}]}],
    }],
    "devices": [{"name": "alice", "topics": [TOPIC, OTHER]}],
}
pytestmark = pytest.mark.apns(SCENARIO)


@pytest.fixture
def send(apns):
    """Pushes to Alice, who gets a background push unless it has an alert; keyword arguments are keys of `aps`."""
    with httpx.Client(http2=True, verify=apns.ssl_context()) as client:
        url = f"{apns.url}/3/device/{apns.device('alice').token}"

        def send(topic=TOPIC, **aps):
            headers = {"authorization": f"bearer {apns.token()}", "apns-topic": topic, "apns-push-type": "alert"}
            if "alert" not in aps:
                headers.update({"apns-push-type": "background", "apns-priority": "5"})
                aps = {"content-available": 1, **aps}
            return client.post(url, headers=headers, json={"aps": aps}).status_code

        yield send


@pytest.fixture
def alice(apns):
    return apns.device("alice")


def states(device):
    return [entry.state for entry in device.history]


def test_a_device_as_it_was_right_after_a_push(apns, alice, send):
    bob = apns.add_device({"token": "ab" * 32})
    send(alert="One", badge=1)
    send(alert="Two", badge=2)
    alice.dismiss(1)
    first, second = apns.requests()
    past = alice.at(first)
    assert isinstance(past, mock_apns.DeviceState) and past.badge == 1
    assert [each.sequence for each in past.displayed] == [1]
    assert [each.sequence for each in alice.at(second.sequence).displayed] == [1, 2]
    assert [each.sequence for each in alice.displayed] == [2]
    assert repr(past) == "<DeviceState alice, right after request 1>"
    with pytest.raises(mock_apns.APIError, match="no request 3 yet") as caught:
        alice.at(3)
    assert (caught.value.status, caught.value.code) == (404, "dropped")
    assert repr(bob.at(second)) == "<DeviceState abababab…abab, right after request 2>"


def test_an_app_that_is_force_quit(apns, alice, send):
    assert alice.history == []
    alice.app("forceQuit")
    assert send() == 200
    (push,) = apns.requests()
    assert push.delivery == "Delivered to Device"
    (entry,) = alice.history
    assert (entry.sequence, entry.state) == (push.sequence, "dropped")
    assert entry.clock == datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    assert entry.why == entry.raw["why"] == "The user has force-quit the app, so the push does not wake it."
    alice.app("notRunning")
    send()
    alice.app(background_refresh=False)
    send()
    assert states(alice) == ["dropped", "woke", "dropped"]
    assert alice.raw["app"] == {"state": "notRunning", "backgroundRefresh": False, "presentsInForeground": False}


def test_one_app_of_several(alice, send):
    alice.app("neverLaunched", topic=OTHER)
    send()
    send(OTHER)
    alice.app("foreground")
    alice.app("foreground", topic=OTHER, presents_in_foreground=True)
    send(alert="Goal")
    send(OTHER, alert="Goal")
    assert states(alice) == ["woke", "dropped", "woke", "shown"]
    assert [each.sequence for each in alice.displayed] == [4]


def test_what_the_user_allows(apns, alice, send):
    alice.notifications(sound=False, authorization="authorized")
    alice.notifications(alert=False, badge=True)
    send(alert="1-0", sound="default", badge=1)
    assert alice.raw["notifications"] == {"authorization": "authorized", "alert": False, "badge": True, "sound": False}
    shown = alice.displayed[0].shown
    assert (shown["banner"], shown["sound"], alice.badge) == (False, None, 1)
    alice.notifications(False)
    assert send(alert="2-0") == 200
    assert apns.requests()[-1].delivery == "Discarded - Disabled"
    alice.notifications(True)
    send(alert="3-0", sound="default")
    assert alice.displayed[-1].shown["sound"] == "default"
    for wrong in {}, {"allow": True, "sound": False}:
        with pytest.raises(TypeError, match="True, False, or single settings"):
            alice.notifications(**wrong)
    with pytest.raises(mock_apns.APIError) as refused:
        alice.notifications(authorization="maybe")
    assert refused.value.pointer == "/notifications/authorization"


@pytest.mark.parametrize("per", ["1h", 3600, datetime.timedelta(hours=1)])
def test_a_budget(apns, alice, send, per):
    alice.budget("background", 1, per)
    assert [send(), send(), send()] == [200] * 3
    assert states(alice) == ["woke", "heldByBudget", "replaced", "heldByBudget"]
    apns.advance("1h")
    assert (alice.history[-1].sequence, alice.history[-1].state) == (3, "woke")
    alice.budget("background", None)
    assert [send(), send()] == [200] * 2
    assert states(alice)[-2:] == ["woke", "woke"]
    for wrong in {"allowed": 1}, {"allowed": None, "per": per}:
        with pytest.raises(TypeError, match="a number and a period"):
            alice.budget("background", **wrong)


def test_a_device_that_saves_power(apns, alice, send):
    alice.power("saving")
    send()
    assert apns.requests()[-1].delivery == "Stored - Power Considerations"
    assert (len(alice.stored), alice.raw["power"]) == (1, "saving")
    alice.power("normal")
    assert (alice.stored, states(alice)) == ([], ["woke"])
    with pytest.raises(mock_apns.APIError, match='expected "normal" or "saving"') as refused:
        alice.power("low")
    assert refused.value.pointer == "/power"


def test_a_device_of_another_platform(alice, send):
    alice.platform("tvOS")
    send(alert="1-0", badge=3)
    assert (alice.displayed, alice.badge, alice.raw["platform"]) == ([], 3, "tvOS")
    alice.platform("iPadOS")
    send(alert="2-0")
    assert [each.sequence for each in alice.displayed] == [2]
    with pytest.raises(mock_apns.APIError, match='did you mean "watchOS"') as refused:
        alice.platform("watchos")
    assert refused.value.pointer == "/platform"


def test_opening_and_dismissing(apns, alice, send):
    for number in range(5):
        send(alert=f"{number}-0", category="GAME")
    pushes = apns.requests()
    alice.open(pushes[0])
    alice.open(alice.displayed[0], "WATCH")
    alice.open(3, "REPLY", "Yes")
    alice.dismiss(pushes[3])
    alice.dismiss(5)
    assert alice.displayed == []
    assert [(entry.sequence, entry.state) for entry in alice.history[5:]] == [
        (1, "opened"), (2, "opened"), (3, "opened"), (4, "dismissed"), (5, "dismissed")]
    assert '"WATCH"' in alice.history[6].why
    with pytest.raises(mock_apns.APIError) as refused:
        alice.open(1)
    assert refused.value.status == 404
    send(alert="6-0", category="GAME")
    with pytest.raises(mock_apns.APIError, match='no action "LEAVE"'):
        alice.open(6, "LEAVE")


@pytest.mark.parametrize("call", ["open", "dismiss", "at"])
def test_what_is_no_push(apns, alice, send, call):
    send(alert="1-0")
    expected = rf"^{call} takes a record, a notification of the device, or a sequence, such as {call}\(7\), not "
    mistakes = (None, "None"), ("1", "'1'"), (True, "True"), (apns.requests(), r"\[<Record 1: "), (alice, "<Device alice>")
    for wrong, shown in mistakes:
        with pytest.raises(TypeError, match=expected + shown):
            getattr(alice, call)(wrong)
    for wrong in 0, -1:
        with pytest.raises(ValueError, match=rf"^{call}\({wrong}\) is about no request; the first one has the sequence 1\.$"):
            getattr(alice, call)(wrong)
    assert [each.sequence for each in alice.displayed] == [1]
    with pytest.raises(mock_apns.APIError, match="^The device does not display push 7|^There is no request 7"):
        getattr(alice, call)(7)


def test_an_app_that_is_removed_and_a_device_that_is_forgotten(apns, push):
    carol = apns.add_device({"name": "carol", "token": ALICE, "topic": TOPIC})
    assert push(topic=OTHER).json() == {"reason": "DeviceTokenNotForTopic"}
    carol.uninstall()
    assert push().json()["reason"] == "Unregistered"
    carol.delete()
    assert push(topic=OTHER).status_code == 200
    assert apns.device(ALICE).received == 1


def test_which_tokens_are_the_same_in_every_run():
    seen = []
    for scenario in {}, {}, {"seed": 5}, {"seed": 5}:
        devices = [{"name": "alice", "topic": "com.example.app"}]
        with mock_apns.Server({**scenario, "devices": devices, "liveActivities": {"tokens": "own"}}) as apns:
            alice, bob = apns.device("alice"), apns.add_device({"name": "bob"})
            own = alice.token, alice.push_to_start_token, alice.start_activity().token, alice.renew_token()
            seen.append((own, bob.token))
    first, second, third, fourth = seen
    assert first[0] == second[0] != third[0] and third == fourth
    assert first[1] != second[1]
