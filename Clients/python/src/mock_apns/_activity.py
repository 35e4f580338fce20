"""A Live Activity of a device."""

from __future__ import annotations

import datetime
import json
import reprlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Tuple, Union

from . import _printable
from ._names import no_attribute
from ._record import shortened, time, values

# How much of the state is shown.
SHOWN = 80


@dataclass(frozen=True, repr=False, eq=False)
class Activity(Dict[str, Any]):
    """A Live Activity of a device as it was when asked for.

    It is also the dictionary that the server sent: `activity["startedAt"]` is a text, `activity.started_at` a time.
    """

    __module__ = "mock_apns"

    sequence: Optional[int]
    """The push that changed it last; `None` if none has since the app started it."""
    name: Optional[str]
    """Its name, if the app gave it one."""
    topic: Optional[str]
    """The bundle id of its app; `None` if it is not known."""
    token: Optional[str]
    """Where to push its updates and its end; `None` if it has no token of its own, or none that was asked for."""
    event: str
    """`start`, `update` or `end`; `end` also after its 8 hours are over."""
    attributes_type: Optional[str]
    """`None` if the app started it."""
    attributes: Any
    """As they were sent."""
    state: Any
    """`content-state`, as it was sent last."""
    started_at: datetime.datetime
    stale_date: Optional[datetime.datetime]
    is_stale: bool
    ends_at: datetime.datetime
    """When it ends by itself or, once it has ended, when it leaves the screen."""
    relevance_score: Optional[float]
    """Which Live Activity of the app comes first."""
    alert: Optional[Mapping[str, Any]]
    """What the push that changed it last told the user beside: `title`, `body`, `sound` and `notes`."""
    channel: Optional[str]
    """The id of the broadcast channel that it listens to."""
    ignored: Tuple[Mapping[str, Any], ...]
    """The latest pushes that changed nothing: the `sequence` of each, and `why`."""
    raw: Mapping[str, Any] = field(compare=False)
    """The object as the server sent it."""

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Activity:
        """The Live Activity in an answer of the API."""
        known = values(cls, raw)
        known["started_at"], known["ends_at"] = time(raw["startedAt"]), time(raw["endsAt"])
        known["stale_date"] = None if raw["staleDate"] is None else time(raw["staleDate"])
        known["ignored"] = tuple(raw["ignored"])
        activity = cls(**known, raw=raw)
        activity.update(raw)
        return activity

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            __tracebackhide__ = True
            raise no_attribute(self, name)

    def __repr__(self) -> str:
        which = f"Activity of {self.topic}" if self.topic else "Activity"
        what = [] if self.name is None else [f'name "{self.name}"']
        if self.attributes_type is not None:
            what.append(f'attributes_type "{self.attributes_type}"')
        what.append(self.event)
        if self.sequence is not None:
            what.append(f"push {self.sequence}")
        if self.state is not None:
            state = json.dumps(self.state, ensure_ascii=False)
            what.append(f"state {state if len(state) <= SHOWN else state[:SHOWN] + '…'}")
        if self.token is not None:
            what.append(f"token {shortened(self.token)}")
        if self.channel is not None:
            what.append(f"channel {self.channel}")
        return _printable.line(f"<{which}: {', '.join(what)}>")


def name_of(call: str, activity: Union[str, Activity]) -> str:
    """The name or update token of a Live Activity that a call is given."""
    __tracebackhide__ = True
    if isinstance(activity, Activity):
        name = activity.token or activity.name
        if name is None:
            raise ValueError(f"{call} cannot find {activity!r}, which has neither an update token nor a name.")
        return name
    if not isinstance(activity, str):
        raise TypeError(f"{call} takes a Live Activity, its name or its update token, not {reprlib.repr(activity)}.")
    return activity
