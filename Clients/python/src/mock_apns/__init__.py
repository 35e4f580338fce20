"""A mock APNs server for your tests.

    import mock_apns

    with mock_apns.Server() as apns:
        push_a_goal(url=apns.url, authority=apns.ca, key=apns.key)
        (push,) = apns.wait(1, push_type="alert")
        assert push.status == 200

With pytest, ask for the fixture `apns`; see `mock_apns.pytest_plugin`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List

if TYPE_CHECKING:
    from ._activity import Activity
    from ._apns import APNs
    from ._channel import Channel
    from ._device import Device, DeviceState, Displayed, HistoryEntry, Stored
    from ._errors import (
        ActivitiesMissing,
        APIError,
        Error,
        ExpectationsFailed,
        NearMiss,
        RequestsMissing,
        Result,
        StartError,
        UnexpectedRequests,
        Verification,
    )
    from ._identity import ClientCertificate
    from ._lint import Finding
    from ._record import Authentication, Record
    from ._server import Server
    from ._session import Session

    __version__: str

__all__ = [
    "APIError",
    "APNs",
    "ActivitiesMissing",
    "Activity",
    "Authentication",
    "Channel",
    "ClientCertificate",
    "Device",
    "DeviceState",
    "Displayed",
    "Error",
    "ExpectationsFailed",
    "Finding",
    "HistoryEntry",
    "NearMiss",
    "Record",
    "RequestsMissing",
    "Result",
    "Server",
    "Session",
    "StartError",
    "Stored",
    "UnexpectedRequests",
    "Verification",
]


def __getattr__(name: str) -> Any:
    """The public names, loaded with the first of them: pytest loads the plugin in every project, used or not."""
    if name == "__version__":
        from importlib.metadata import version

        globals()[name] = version("mock-apns")
        return globals()[name]
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import _activity, _apns, _channel, _device, _errors, _identity, _lint, _record, _server, _session

    for module in (_activity, _apns, _channel, _device, _errors, _identity, _lint, _record, _server, _session):
        globals().update({each: value for each, value in vars(module).items() if each in __all__})
    return globals()[name]


def __dir__() -> List[str]:
    return [*globals(), "__version__", *__all__]
