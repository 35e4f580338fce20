"""Sessions: servers of their own within a running one."""

from __future__ import annotations

import ipaddress
import re
import time
from types import MappingProxyType
from typing import Any, Callable, Dict, Mapping, Optional
from urllib.parse import quote, urlsplit

from ._admin import Admin, error_of
from ._apns import APNs
from ._errors import APIError, Error
from ._names import duration_json
from ._scenario import Scenario, read

# How long to wait for a port while others have all of them, in seconds.
PORT = 5.0


class Session(APNs):
    """A server of its own within a running one: address, scenario, clock, log and connections. It ends with its block.

    `APNs.session` opens one.
    """

    __module__ = "mock_apns"

    name: str
    """The name that it has on the server, as in the log."""

    def __init__(self, server: APNs, name: str) -> None:
        self._connect(server._admin.root().session(name), server._executable)
        self.name = name
        self._folders = server._folders
        # They share the keys of the server, and making a token takes a process.
        self._tokens = server._tokens

    def close(self) -> None:
        """Ends the session, and removes the files that were made for the provider. The server goes on."""
        __tracebackhide__ = True
        self._end()

    def _end(self, *, judged: bool = True) -> None:
        """Ends it. Unless it is judged, its expectations do not count for `mock-apns exec`."""
        __tracebackhide__ = True
        super().close()
        try:
            status, answer = self._admin.exchange("DELETE", "" if judged else "?judge=false")
        except Error:
            return  # It has ended with its server.
        if status >= 400 and status != 404:
            raise error_of(status, answer)


def open_session(
    server: APNs,
    name: Optional[str],
    scenario: Optional[Scenario],
    *,
    begins_with: Optional[Mapping[str, Any]] = None,
    published_ports: Optional[str] = None,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> Session:
    """Opens a session. A scenario is played once it is open, so that mistakes in it are reported as everywhere."""
    __tracebackhide__ = True
    mapped = port_mapping(published_ports)
    text, path = read(scenario, server._folders)
    asked: Dict[str, Any] = {"name": name, "scenario": begins_with, "port": options.get("port")}
    asked["serverName"] = options.get("server_name")
    if options.get("expires_after") is not None:
        asked["expiresAfter"] = duration_json(options["expires_after"])
    answer = post(server._admin.root(), {name: value for name, value in asked.items() if value is not None})
    session = Session(server, answer["name"])
    try:
        address = reachable(answer["apns"], session._admin.host, mapped)
        if address:
            session._identity_path = f"/identity?url={quote(address, safe='')}"
        if scenario is not None:
            session._play(text, path)
    except BaseException:
        session.close()
        raise
    return session


def post(root: Admin, asked: Mapping[str, Any]) -> Any:
    __tracebackhide__ = True
    deadline = time.monotonic() + PORT
    while True:
        status, answer = root.exchange("POST", "/sessions", asked)
        if status < 400:
            return answer
        if status != 503 or time.monotonic() > deadline:
            raise refusal(root, status, answer)
        time.sleep(0.05)


def refusal(root: Admin, status: int, answer: Any) -> APIError:
    """Why there is no session, for people who have only said where the server is."""
    error = error_of(status, answer)
    if status == 401 and root.token:
        message = f"The mock-apns at {root.url} wants another token than that of the variable MOCK_APNS_ADMIN_TOKEN."
    elif status == 401:
        message = f"The mock-apns at {root.url} requires a token: set the variable MOCK_APNS_ADMIN_TOKEN."
    elif status in (404, 405):
        message = f"The mock-apns at {root.url} is too old to have sessions: use one of the version of this package."
    elif status == 503:
        message = f"The mock-apns at {root.url} cannot open a session: {error.message}"
    else:
        return error
    return APIError(message, code=error.code, pointer=error.pointer, status=status)


def reachable(reported: str, admin_host: str, mapped: Optional[Callable[[int], int]]) -> Optional[str]:
    """The address at which we reach a session, which the server cannot know if ports are mapped or if its host has
    another name here."""
    __tracebackhide__ = True
    address = urlsplit(reported)
    port = address.port or 443
    if mapped:
        port = mapped(port)
    elif not is_loopback(address.hostname or "") or is_loopback(admin_host):
        return None
    return f"https://{f'[{admin_host}]' if ':' in admin_host else admin_host}:{port}"


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def port_mapping(text: Optional[str]) -> Optional[Callable[[int], int]]:
    """The published port for one of the server's, by a mapping as a container has it: `12300-12399:2300-2399`, or several
    with commas between."""
    __tracebackhide__ = True
    if text is None:
        return None
    published: Dict[int, int] = {}
    for part in text.split(","):
        found = re.fullmatch(r"(\d+)(?:-(\d+))?:(\d+)(?:-(\d+))?", part)
        outer, inner = (ports(found, 1), ports(found, 3)) if found else (range(0), range(0))
        if not outer or len(outer) != len(inner) or outer[-1] > 65535 or inner[-1] > 65535:
            raise Error(f"{text} is not a mapping of ports as a container has it, such as 12300-12399:2300-2399.")
        published.update(zip(inner, outer))

    def mapped(port: int) -> int:
        __tracebackhide__ = True
        if port not in published:
            raise Error(
                f"The session has port {port}, which is not published; start the server with"
                f" --session-ports {min(published)}-{max(published)}."
            )
        return published[port]

    return mapped


def ports(found: "re.Match[str]", group: int) -> range:
    first = int(found[group])
    return range(first, int(found[group + 1] or first) + 1)
