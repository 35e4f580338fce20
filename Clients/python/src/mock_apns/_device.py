"""A device of the server."""

from __future__ import annotations

import datetime
import reprlib
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union
from urllib.parse import quote

from . import _activity, _channel, _printable, _report
from ._activity import Activity
from ._admin import PATIENCE, Admin, error_of
from ._channel import Channel
from ._errors import ActivitiesMissing, APIError
from ._names import Duration, camel, duration_json, duration_text
from ._record import Record, shortened, time


@dataclass(frozen=True)
class Notification:
    """What displayed and stored notifications have in common."""

    sequence: int
    """The number of the push's record."""
    collapse_id: Optional[str]
    payload: Any
    raw: Mapping[str, Any] = field(compare=False, repr=False)
    """The object as the server sent it."""


@dataclass(frozen=True)
class Displayed(Notification):
    """A notification that a device shows."""

    __module__ = "mock_apns"

    displayed_at: datetime.datetime
    shown: Mapping[str, Any]
    """What a person reads of it: `app`, `title`, `subtitle`, `body` and so on, as the server sent them."""


@dataclass(frozen=True)
class Stored(Notification):
    """A notification that waits for a device."""

    __module__ = "mock_apns"

    expires_at: datetime.datetime


@dataclass(frozen=True)
class HistoryEntry:
    """What became of a push on its device, once APNs had delivered it."""

    __module__ = "mock_apns"

    sequence: int
    """The number of the push's record."""
    clock: datetime.datetime
    """When it happened, by the scenario's clock."""
    state: str
    """`shown`, `woke`, `heldByBudget`, `dropped`, `ignored`, `replaced`, `opened` or `dismissed`."""
    why: str
    """What happened and why, in a sentence."""
    raw: Mapping[str, Any] = field(compare=False, repr=False)
    """The object as the server sent it."""


class DeviceState:
    """A device as it was at one time."""

    __module__ = "mock_apns"

    def __init__(self, raw: Mapping[str, Any], after: int) -> None:
        self._raw = raw
        self._after = after

    def __repr__(self) -> str:
        which = self.raw["name"] or shortened(self.token)
        return _printable.line(f"<DeviceState {which}, right after request {self._after}>")

    @property
    def raw(self) -> Mapping[str, Any]:
        """Everything that the server knows of it."""
        return self._raw

    @property
    def activities(self) -> List[Activity]:
        """The Live Activities on its screen, newest last."""
        __tracebackhide__ = True
        return [Activity.of(each) for each in self.raw["activities"]]

    @property
    def displayed(self) -> List[Displayed]:
        """The notifications that it shows, newest last."""
        __tracebackhide__ = True
        return [Displayed(*common(each), time(each["displayedAt"]), each["shown"]) for each in self.raw["displayed"]]

    @property
    def stored(self) -> List[Stored]:
        """The notifications that wait for it, oldest first."""
        __tracebackhide__ = True
        return [Stored(*common(each), time(each["expiresAt"])) for each in self.raw["stored"]]

    @property
    def history(self) -> List[HistoryEntry]:
        """What became of the pushes that reached it, and why, newest last."""
        __tracebackhide__ = True
        return [
            HistoryEntry(each["sequence"], time(each["clock"]), each["state"], each["why"], each)
            for each in self.raw["history"]
        ]

    @property
    def badge(self) -> int:
        """The number on the app's icon."""
        __tracebackhide__ = True
        return int(self.raw["badge"])

    @property
    def received(self) -> int:
        """The number of pushes that it has received."""
        __tracebackhide__ = True
        return int(self.raw["received"])

    @property
    def token(self) -> str:
        """The device token."""
        __tracebackhide__ = True
        return str(self.raw["token"])

    @property
    def push_to_start_token(self) -> Union[None, str, Mapping[str, str]]:
        """The token to which pushes go that start a Live Activity; a dictionary by bundle id if it has several apps.

        None if Live Activities have no tokens of their own: all of their pushes go to `token` then.
        """
        __tracebackhide__ = True
        token: Union[None, str, Mapping[str, str]] = self.raw["pushToStartToken"]
        return token


class Device(DeviceState):
    """A device, by its name in the scenario or its token. Each attribute asks the server for the present state."""

    __module__ = "mock_apns"

    def __init__(self, admin: Admin, name: str) -> None:
        self._admin = admin
        self.name = name
        """The name or token by which it was asked for; a token is the new one after `renew_token`."""

    def __repr__(self) -> str:
        return f"<Device {_printable.line(self.name)}>"

    def at(self, push: Union[int, Notification, Record]) -> DeviceState:
        """Returns the device as it was right after a request, as far back as the server's log goes."""
        __tracebackhide__ = True
        after = sequence("at", push)
        return DeviceState(self._call("GET", below=f"?at={after}"), after)

    def online(self) -> None:
        """Connects it; what is stored for it is delivered."""
        __tracebackhide__ = True
        self._change(online=True)

    def offline(self) -> None:
        """Disconnects it; pushes are stored for it."""
        __tracebackhide__ = True
        self._change(online=False)

    def uninstall(self) -> None:
        """Removes the app: pushes are answered with 410 Unregistered from now on."""
        __tracebackhide__ = True
        self._change(registered=False)

    def app(
        self,
        state: Optional[str] = None,
        *,
        topic: Optional[str] = None,
        background_refresh: Optional[bool] = None,
        presents_in_foreground: Optional[bool] = None,
    ) -> None:
        """Changes the state of its apps, on which it depends what a push does: `alice.app("forceQuit")`.

        States are `background`, `foreground`, `notRunning`, `forceQuit` and `neverLaunched`. `background_refresh` is
        whether the user allows Background App Refresh, `presents_in_foreground` whether the app shows its notifications
        while it is in the foreground. What is not given stays. `topic` is the bundle id of one app, which has a state
        of its own from then on: a change without `topic` leaves it as it is.
        """
        __tracebackhide__ = True
        change = given(
            state=state, background_refresh=background_refresh, presents_in_foreground=presents_in_foreground
        )
        if not change:
            raise TypeError('app takes a state, such as "forceQuit", background_refresh or presents_in_foreground.')
        self._change(**({"app": change} if topic is None else {"apps": {topic: change}}))

    def notifications(
        self,
        allow: Optional[bool] = None,
        *,
        authorization: Optional[str] = None,
        alert: Optional[bool] = None,
        badge: Optional[bool] = None,
        sound: Optional[bool] = None,
    ) -> None:
        """Changes what the user allows: `alice.notifications(False)` for nothing, `True` for everything.

        Or single settings, of which the others stay: `authorization` is `authorized`, `provisional`, `denied` or
        `notDetermined`; `alert` is whether there are banners, `badge` and `sound` whether there are these.
        """
        __tracebackhide__ = True
        settings = given(authorization=authorization, alert=alert, badge=badge, sound=sound)
        if (allow is None) == (not settings):
            raise TypeError("notifications takes True, False, or single settings, such as sound=False.")
        self._change(notifications=settings if allow is None else allow)

    def budget(self, kind: str, allowed: Optional[int], per: Union[float, Duration, None] = None) -> None:
        """Allows each app so many pushes of a kind per period: `alice.budget("background", 3, "1h")`.

        Kinds are `background`, `pushToStart`, `liveActivityPriority10` and `widgets`. `per` is in seconds, or `"1h"`,
        or a timedelta. A push beyond the budget is delivered to the device, which holds or drops it. With `None`
        instead of a number, there is no budget any more.
        """
        __tracebackhide__ = True
        if (allowed is None) != (per is None):
            raise TypeError('budget takes a number and a period, such as 3 and "1h", or None for no budget.')
        self._change(budgets={kind: None if per is None else {"allowed": allowed, "per": duration_json(per)}})

    def platform(self, platform: str) -> None:
        """Changes what kind of device it is, on which it depends what a push does: `alice.platform("tvOS")`.

        Platforms are `iOS`, `iPadOS`, `macOS`, `watchOS`, `tvOS` and `visionOS`.
        """
        __tracebackhide__ = True
        self._change(platform=platform)

    def power(self, power: str) -> None:
        """Has it save power, `alice.power("saving")`, or no longer, `"normal"`.

        While it saves power, pushes of priority 5 and 1 are stored. They are delivered when it no longer does.
        """
        __tracebackhide__ = True
        self._change(power=power)

    def open(
        self, push: Union[int, Notification, Record], action: Optional[str] = None, text: Optional[str] = None
    ) -> None:
        """Opens the notification of a push, as a user does; `push` is what it displays, a record, or its sequence.

        With the id of an action, chooses that: `alice.open(7, "REPLY", "Yes")`. `text` is what the user types.
        """
        __tracebackhide__ = True
        self._call("POST", given(action=action, text=text), f"/displayed/{sequence('open', push)}/open")

    def dismiss(self, push: Union[int, Notification, Record]) -> None:
        """Takes the notification of a push off the screen, as a user does."""
        __tracebackhide__ = True
        self._call("POST", below=f"/displayed/{sequence('dismiss', push)}/dismiss")

    def renew_token(self) -> str:
        """Gives it a new token, as a new phone or a restored one has, and returns that.

        The old one is answered with 410 Unregistered from now on. The push-to-start token is another one, too. Nothing
        is left of what the old phone had: `activities`, `displayed`, `stored`, `history`, `badge` and `received`.
        """
        __tracebackhide__ = True
        renewed = self._call("POST", below="/token")
        token = str(renewed["token"])
        if renewed["name"] != self.name:
            self.name = token
        return token

    def delete(self) -> None:
        """Makes the server forget it, and what is stored for it.

        A push to its token is then one to a device that is not known: by default it is accepted, and registers a new
        device with the topic of that push. `uninstall` has pushes answered with 410.
        """
        __tracebackhide__ = True
        self._call("DELETE")

    def start_activity(
        self, name: Optional[str] = None, topic: Optional[str] = None, token: Optional[str] = None
    ) -> Activity:
        """Starts a Live Activity, as the app does, and returns it.

        `end_activity` and `dismiss_activity` take it, or its `name`. `topic` is the app's bundle id, by default the device's
        first. `token` is its update token, by default one that the server draws.
        """
        __tracebackhide__ = True
        return self._started(startActivity=given(name=name, topic=topic, token=token))

    def subscribe(self, channel: Union[str, Channel], name: Optional[str] = None) -> Activity:
        """Starts a Live Activity on a broadcast channel, which may be given by name or id, and returns it.

        With a `name`, `end_activity` can end it.
        """
        __tracebackhide__ = True
        return self._started(subscribe=given(name=name, channel=_channel.name_of("subscribe", channel)))

    def unsubscribe(self, channel: Union[str, Channel]) -> None:
        """Dismisses the Live Activities on a broadcast channel, which may be given by name or id, as a user does."""
        __tracebackhide__ = True
        self._change(unsubscribe=_channel.name_of("unsubscribe", channel))

    def end_activity(self, activity: Union[str, Activity]) -> None:
        """Ends a Live Activity, which may be given by name or update token, as the app does."""
        __tracebackhide__ = True
        self._change(endActivity=_activity.name_of("end_activity", activity))

    def dismiss_activity(self, activity: Union[str, Activity]) -> None:
        """Takes a Live Activity, which may be given by name or update token, off the screen, as a user does."""
        __tracebackhide__ = True
        self._change(dismissActivity=_activity.name_of("dismiss_activity", activity))

    def wait_for_activities(
        self, count: int = 1, topic: Optional[str] = None, timeout: Union[float, Duration] = 5
    ) -> List[Activity]:
        """Waits until it has at least `count` Live Activities that have not ended, and returns all of these.

        `topic` asks for those of one app, by its bundle id. `timeout` is in seconds, or `"5s"`, or a timedelta. When it
        is over, raises `ActivitiesMissing`, an AssertionError.
        """
        __tracebackhide__ = True
        limit = duration_json(timeout)
        question = {"count": count, "timeout": limit, **({} if topic is None else {"topic": topic})}
        status, answer = self._exchange("POST", question, "/activities/wait", timeout=PATIENCE + 600)
        if status == 408:
            raise self._activities_missing(question, [Activity.of(each) for each in answer["activities"]])
        if status >= 400:
            raise self._error_of(status, answer)
        return [Activity.of(each) for each in answer["activities"]]

    @property
    def raw(self) -> Mapping[str, Any]:
        """Everything that the server knows of it."""
        __tracebackhide__ = True
        state: Mapping[str, Any] = self._call("GET")
        return state

    def _change(self, **change: Any) -> Any:
        __tracebackhide__ = True
        return self._call("PATCH", change)

    def _started(self, **change: Any) -> Activity:
        """Makes a change that starts a Live Activity, which is then the newest."""
        __tracebackhide__ = True
        return Activity.of(self._change(**change)["activities"][-1])

    def _call(self, method: str, body: Any = None, below: str = "") -> Any:
        __tracebackhide__ = True
        status, answer = self._exchange(method, body, below)
        if status >= 400:
            raise self._error_of(status, answer)
        return answer

    def _exchange(self, method: str, body: Any, below: str, timeout: float = PATIENCE) -> Tuple[int, Any]:
        __tracebackhide__ = True
        return self._admin.exchange(method, f"/devices/{quote(self.name, safe='')}{below}", body, timeout)

    def _error_of(self, status: int, answer: Any) -> APIError:
        error = error_of(status, answer)
        if not error.message.startswith("No device has "):
            return error
        message = error.message + (
            " The server knows a device once it is declared, among the devices of the scenario or by"
            " apns.add_device(…), or once something has been pushed to it."
        )
        return APIError(message, code=error.code, pointer=error.pointer, status=error.status)

    def _activities_missing(self, asked: Mapping[str, Any], seen: List[Activity]) -> ActivitiesMissing:
        topic = f" with topic {asked['topic']}" if "topic" in asked else ""
        lines = [
            f"Not enough Live Activities within {duration_text(asked['timeout'])}.",
            f"  expected  at least {counted(asked['count'])} of {self.name}{topic}, not ended",
            f"  seen      {counted(len(seen))}",
        ]
        # A push that the device has ignored is answered with 200 all the same.
        found = self._admin.post("/requests/find", {"requests": {"pushType": "liveactivity"}, "limit": 1000, "order": "desc"})
        sent = {each["sequence"] for each in found["requests"]}
        vain = [each for each in self.history if each.state in ("ignored", "dropped") and each.sequence in sent]
        lines += [f"  push {each.sequence} was {each.state}: {each.why}" for each in vain[-3:]]
        text = "\n".join(map(_printable.line, lines)) + _report.why_none(self._admin)
        return ActivitiesMissing(text, tuple(seen))


def given(**arguments: Any) -> Dict[str, Any]:
    """The arguments that are given, with their names in JSON."""
    return {camel(name): value for name, value in arguments.items() if value is not None}


def sequence(call: str, push: object) -> int:
    """The number of a push that a call is given."""
    __tracebackhide__ = True
    number = getattr(push, "sequence", push)
    if isinstance(number, bool) or not isinstance(number, int):
        raise TypeError(
            f"{call} takes a record, a notification of the device, or a sequence, such as {call}(7), not {reprlib.repr(push)}."
        )
    if number < 1:
        raise ValueError(f"{call}({number}) is about no request; the first one has the sequence 1.")
    return number


def counted(number: int) -> str:
    return f"{number} Live Activit{'y' if number == 1 else 'ies'}"


def common(each: Mapping[str, Any]) -> Tuple[int, Optional[str], Any, Mapping[str, Any]]:
    return each["sequence"], each["collapseID"], each["payload"], each
