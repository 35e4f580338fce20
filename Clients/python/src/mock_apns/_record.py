"""One recorded request."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Tuple, Type, TypeVar, Union

from . import _printable
from ._names import camel, no_attribute

T = TypeVar("T")


def time(text: str) -> datetime.datetime:
    """A time of the API. `fromisoformat` reads the letter Z from Python 3.11 on only."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def values(kind: Type[Any], raw: Mapping[str, Any]) -> Dict[str, Any]:
    """The values for a dataclass whose names are those of the raw object in snake_case."""
    return {each.name: raw.get(camel(each.name)) for each in fields(kind) if each.name != "raw"}


# Calls about channels, in words before the channel.
CALLS = {
    "create": "create channel",
    "read": "read channel",
    "delete": "delete channel",
    "list": "list channels",
    "publish": "publish to channel",
}


@dataclass(frozen=True)
class Authentication:
    """How the provider proved who it is."""

    __module__ = "mock_apns"

    method: str
    """`token`, `certificate` or `none`."""
    key_id: Optional[str]
    team_id: Optional[str]
    issued_at: Optional[int]
    """When the provider token says that it was issued, in UNIX seconds."""
    provider_token: Optional[int]
    """Counts the different provider tokens on a connection, from 1."""
    signature: Optional[str]
    """`raw` or `der`."""
    verdict: Optional[str]
    """`valid`, or the reason for the rejection."""


@dataclass(frozen=True, repr=False)
class Record:
    """One request, and what was decided about it. `record["apnsID"]` and `record.raw` are as the server sent it."""

    __module__ = "mock_apns"

    sequence: int
    """1 for the first request since the last reset."""
    time: datetime.datetime
    clock: datetime.datetime
    """The time of the scenario's clock."""
    connection: Optional[int]
    """1 for the first connection since the last reset; `None` for one that was open at a reset."""
    connection_id: Optional[int]
    """Unique among all connections of the server; `None` for a push of the admin API."""
    stream: Optional[int]
    """`None` for a push of the admin API."""
    method: Optional[str]
    path: Optional[str]
    token: Optional[str]
    """The device token."""
    device: Optional[str]
    """The name of a declared device."""
    headers: Tuple[Tuple[str, str], ...]
    """The header fields in the order in which they came."""
    topic: Optional[str]
    push_type: Optional[str]
    priority: Optional[int]
    expiration: Optional[int]
    """`apns-expiration`, in UNIX seconds."""
    collapse_id: Optional[str]
    apns_id: Optional[str]
    unique_id: Optional[str]
    in_flight: int
    """Streams that were open on the connection, this one included."""
    payload: Any
    """The body, if it is JSON."""
    payload_text: Optional[str]
    """A body that is not JSON."""
    payload_base64: Optional[str]
    """A body that is not UTF-8."""
    payload_bytes: int
    sent_by: str
    """`provider`, or `admin` for a push of the admin API."""
    authentication: Authentication
    provider_token_number: Optional[int]
    """Counts the different provider tokens on all connections, from 1."""
    status: Optional[int]
    """The status of the answer; `None` while there is none."""
    reason: Optional[str]
    """Why it was rejected, such as `BadDeviceToken`."""
    retry_after: Optional[int]
    """`retry-after` of the answer in seconds; `None` without that field."""
    reset_code: Union[str, int, None]
    """The error code with which the stream was reset, such as `REFUSED_STREAM`, or its number."""
    outcome: str
    """`responded`, `delayed`, `stalled`, `reset`, `goAway`, `closed`, `ignored` or `cancelled`."""
    decided_by: str
    """`checks`, `device`, `connection`, `outage`, `rule:NAME` or `upstream`."""
    explanation: Optional[str]
    """A sentence that explains a rejection."""
    delivery: Optional[str]
    """What became of an accepted push, such as `Delivered to Device`."""
    replaced_by: Optional[int]
    """The sequence of the push that replaced it in the device's storage."""
    latency_microseconds: int
    """From the last byte of the request to its decision; of a delayed answer, to the answer."""
    deliveries: Tuple[Tuple[str, datetime.datetime], ...]
    """All that APNs did with an accepted push, oldest first: the status, and when by the scenario's clock."""
    relayed: Optional[Mapping[str, Any]]
    """What the upstream of a relay answered: `status`, `reason`, `latencyMicroseconds`, `headers`."""
    own: Optional[Mapping[str, Any]]
    """What mock-apns would have answered to a relayed push: `status`, `reason`."""
    agrees: Optional[bool]
    """Whether both answers to a relayed push are the same."""
    call: Optional[str]
    """`create`, `read`, `delete`, `list` or `publish`, about broadcast channels; `None` for a push to a device."""
    channel: Optional[str]
    """The id of the broadcast channel."""
    channel_name: Optional[str]
    """The name of the broadcast channel in the scenario."""
    request_id: Optional[str]
    """`apns-request-id` of the answer to a call about broadcast channels."""
    storage_policy: Optional[int]
    """`message-storage-policy` of the broadcast channel: 0 or 1."""
    subscribers: Optional[int]
    """Devices with a Live Activity on the broadcast channel when the push was published."""
    delivered: Optional[int]
    """How many of them were online."""
    stored: Optional[bool]
    """Whether the published push was stored for the others."""
    ignored: Optional[str]
    """Why devices ignore the published push."""
    replica: Optional[str]
    """In the log of a fleet, the replica that decided it."""
    replica_sequence: Optional[int]
    """Its sequence number on that replica."""
    raw: Mapping[str, Any] = field(compare=False)
    """The record as the server sent it."""

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Record:
        """The record in an answer of the API."""
        known = values(cls, raw)
        known["time"], known["clock"] = time(raw["time"]), time(raw["clock"])
        known["headers"] = tuple((name, value) for name, value in raw["headers"])
        known["deliveries"] = tuple((each["state"], time(each["clock"])) for each in raw.get("deliveries", ()))
        known["authentication"] = Authentication(**values(Authentication, raw["authentication"]))
        return cls(**known, raw=raw)

    def header(self, name: str) -> Optional[str]:
        """The value of the first header field of that name."""
        return next((value for each, value in self.headers if each == name.lower()), None)

    def __getitem__(self, name: str) -> Any:
        return self.raw[name]

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            __tracebackhide__ = True
            raise no_attribute(self, name)

    def __repr__(self) -> str:
        return f"<Record {self.sequence}: {self.summary()}>"

    def summary(self) -> str:
        """The request and its answer in a few words."""
        what = f"{self.push_type or 'push'} to {self.device or shortened(self.token) or self.path}"
        if self.call is not None:
            what = " ".join(filter(None, [CALLS.get(self.call, self.call), self.channel_name or self.channel]))
        answer = " ".join(str(part) for part in (self.status or self.outcome, self.reason) if part)
        by = "" if self.decided_by == "checks" else f", decided by {self.decided_by}"
        return _printable.line(f"{what}, {answer}{by}")


def shortened(token: Optional[str]) -> Optional[str]:
    """A device token as people recognize it."""
    return token if token is None or len(token) < 20 else f"{token[:8]}…{token[-4:]}"
