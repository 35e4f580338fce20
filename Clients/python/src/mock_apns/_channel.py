"""A broadcast channel."""

from __future__ import annotations

import datetime
import reprlib
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Union

from ._record import time


@dataclass(frozen=True)
class Channel:
    """A broadcast channel as it was when asked for, with the figures that Apple's console shows."""

    __module__ = "mock_apns"

    id: str
    """The id, as in `apns-channel-id`."""
    name: Optional[str]
    topic: str
    """The bundle id of its app."""
    environment: str
    storage: str
    """Which pushes are stored for devices that are offline: `none` or `mostRecent`."""
    created_at: datetime.datetime
    published: int
    """Pushes published to it."""
    delivered: int
    """How many times a push reached a device."""
    subscribers: int
    """Live Activities that listen to it."""
    stored: Optional[int]
    """The `sequence` of the push that is stored for devices that are offline."""
    raw: Mapping[str, Any] = field(compare=False, repr=False)
    """The object as the server sent it."""

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Channel:
        """The channel in an answer of the API."""
        return cls(
            raw["channelID"], raw["name"], raw["topic"], raw["environment"], raw["storage"], time(raw["createdAt"]),
            raw["published"], raw["delivered"], raw["subscribers"], raw["stored"], raw,
        )


def name_of(call: str, channel: Union[str, Channel]) -> str:
    """The name or id of a channel that a call is given."""
    __tracebackhide__ = True
    if isinstance(channel, Channel):
        return channel.id
    if not isinstance(channel, str):
        raise TypeError(f"{call} takes a channel, its name or its id, not {reprlib.repr(channel)}.")
    return channel
