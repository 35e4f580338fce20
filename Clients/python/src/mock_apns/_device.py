"""A device of the server."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from typing import Any, List, Mapping, Optional, Tuple
from urllib.parse import quote

from . import _printable
from ._admin import Admin
from ._errors import APIError
from ._record import time


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


class Device:
    """A device, by its name in the scenario or its token. Each attribute asks the server for the present state."""

    __module__ = "mock_apns"

    def __init__(self, admin: Admin, name: str) -> None:
        self._admin = admin
        self._path = f"/devices/{quote(name, safe='')}"
        self.name = name
        """The name or token by which it was asked for."""

    def __repr__(self) -> str:
        return f"<Device {_printable.line(self.name)}>"

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

    def subscribe(self, channel: str, name: Optional[str] = None) -> None:
        """Starts a Live Activity on a broadcast channel, given by name or id. With a `name`, `end_activity` can end it."""
        __tracebackhide__ = True
        self._change(subscribe={"channel": channel} if name is None else {"name": name, "channel": channel})

    def unsubscribe(self, channel: str) -> None:
        """Dismisses the Live Activities on a broadcast channel, as a user does."""
        __tracebackhide__ = True
        self._change(unsubscribe=channel)

    def end_activity(self, name: str) -> None:
        """Ends the Live Activity of that name, as the app does."""
        __tracebackhide__ = True
        self._change(endActivity=name)

    @property
    def activities(self) -> List[Mapping[str, Any]]:
        """The Live Activities on its screen, newest last, as the server sent them."""
        __tracebackhide__ = True
        return list(self.raw["activities"])

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
    def raw(self) -> Mapping[str, Any]:
        """Everything that the server knows of it."""
        __tracebackhide__ = True
        state: Mapping[str, Any] = self._call("GET")
        return state

    def _change(self, **change: Any) -> None:
        __tracebackhide__ = True
        self._call("PATCH", change)

    def _call(self, method: str, body: Any = None) -> Any:
        __tracebackhide__ = True
        try:
            return self._admin.call(method, self._path, body)
        except APIError as error:
            if not error.message.startswith("No device has "):
                raise
            message = error.message + (
                " The server knows a device once it is declared, among the devices of the scenario or by"
                " apns.add_device(…), or once something has been pushed to it."
            )
            raise APIError(message, code=error.code, pointer=error.pointer, status=error.status) from None


def common(each: Mapping[str, Any]) -> Tuple[int, Optional[str], Any, Mapping[str, Any]]:
    return each["sequence"], each["collapseID"], each["payload"], each
