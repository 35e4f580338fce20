"""A server as a test sees it."""

from __future__ import annotations

import datetime
import hashlib
import os
import shutil
import ssl
import subprocess
import tempfile
import time
import weakref
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union
from urllib.parse import quote, urlencode

from . import _printable, _report, _scenario
from ._admin import PATIENCE, Admin, error_of
from ._channel import Channel, name_of
from ._device import Device
from ._errors import (
    APIError,
    Error,
    ExpectationsFailed,
    RequestsMissing,
    Result,
    UnexpectedRequests,
    Verification,
    near_misses,
)
from ._executable import find_executable
from ._identity import ClientCertificate, Identity
from ._lint import Finding
from ._names import (
    RULE,
    Duration,
    Match,
    RuleOptions,
    camel,
    check,
    duration_json,
    duration_text,
    match_json,
    no_attribute,
    unix_seconds,
    when_json,
)
from ._record import Record
from ._scenario import Scenario

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._session import Session

Self = TypeVar("Self", bound="APNs")

# A provider token has to be at least this old before it is replaced by another, in seconds; it is valid for an hour.
TOKEN_AGE = 30 * 60


class APNs:
    """A running server: what a provider needs to push to it, what it has received, and how it answers next.

    `APNs("http://127.0.0.1:2198")` uses a server that is already running, by the address of its admin port; `Server`
    starts one. Times and durations are those of the scenario's clock, except for the timeout of `wait`.
    """

    __module__ = "mock_apns"

    def __init__(
        self,
        admin_url: str,
        *,
        admin_token: Optional[str] = None,
        executable: Optional[Union[str, "os.PathLike[str]"]] = None,
    ) -> None:
        self._connect(Admin(admin_url, admin_token), executable)

    def _connect(self, admin: Admin, executable: Optional[Union[str, "os.PathLike[str]"]]) -> None:
        self._admin = admin
        self._executable = executable
        self._known: Optional[Identity] = None
        self._folder: Optional[Path] = None
        self._remove: Optional[Callable[[], object]] = None
        self._tokens: Dict[Tuple[str, str, str], Tuple[float, str]] = {}
        # The folders to which relative paths of scenarios refer, and what is called before one is replaced: for the fixture.
        self._folders: Sequence[Path] = (Path(),)
        self._before_replacing: Optional[Callable[[], None]] = None
        self._has_played = False
        self._identity_path = "/identity"

    # As a context manager.

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def close(self) -> None:
        """Removes the files that were made for the provider. The server goes on."""
        if self._remove:
            self._remove()
        self._remove = self._folder = self._known = None

    def __repr__(self) -> str:
        return f"<mock_apns.{type(self).__name__} {self._admin.url}>"

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            __tracebackhide__ = True
            raise no_attribute(self, name)

    # What a provider has to be given.

    @property
    def url(self) -> str:
        """Where to push to, such as `https://127.0.0.1:40123`."""
        __tracebackhide__ = True
        return self._identity.url

    @property
    def host(self) -> str:
        """The host of `url`."""
        __tracebackhide__ = True
        return self._identity.host

    @property
    def port(self) -> int:
        """The port of `url`."""
        __tracebackhide__ = True
        return self._identity.port

    @property
    def manage_urls(self) -> List[str]:
        """Where to manage broadcast channels: an address for each `manage_port`. If there is none, use `url`."""
        __tracebackhide__ = True
        return list(self._identity.manage_urls)

    @property
    def ca(self) -> Path:
        """The certificate authority that the provider has to trust, as a PEM file."""
        __tracebackhide__ = True
        return self._identity.ca

    @property
    def key(self) -> Path:
        """The key that provider tokens are signed with, as a `.p8` file."""
        __tracebackhide__ = True
        identity = self._identity
        if identity.key is None:
            raise Error(f"The signing key {identity.key_id} is the scenario's own; the server does not hand it out.")
        return identity.key

    @property
    def key_id(self) -> str:
        """The id of `key`."""
        __tracebackhide__ = True
        return self._identity.key_id

    @property
    def team_id(self) -> str:
        """The id of the team that `key` belongs to."""
        __tracebackhide__ = True
        return self._identity.team_id

    @property
    def topic(self) -> str:
        """The topic to push to: the app's bundle id."""
        __tracebackhide__ = True
        return self._identity.topic

    @property
    def env(self) -> Dict[str, str]:
        """The same as environment variables, for a provider in another process: those that `mock-apns exec` sets."""
        __tracebackhide__ = True
        return self._identity.environment(self._admin.url, self._admin.token)

    @property
    def api_url(self) -> str:
        """The admin API of this server or session, for a call that this class has not: `apns.api_url + "/summary"`."""
        __tracebackhide__ = True
        return self._admin.api

    def client_certificate(self, kind: Optional[str] = None, topic: Optional[str] = None) -> ClientCertificate:
        """A client certificate, for a provider that signs no tokens: `apns.client_certificate().combined`.

        Without a kind it is for all of the app's pushes. The kinds for one topic are `voip`, `pass`, `website`,
        `watchkit` and `mdm`; the rejected ones are `expired`, `revoked`, `wrong-environment`, `unknown-authority` and
        `not-push`. The topic is the app's unless you give another.
        """
        __tracebackhide__ = True
        asked = {name: value for name, value in (("kind", kind), ("topic", topic)) if value is not None}
        answer = self._admin.get(f"/identity/certificate?{urlencode(asked)}")
        name = "-".join(["client", *([kind] if kind else [])])
        if topic:
            name += "-" + hashlib.sha256(topic.encode()).hexdigest()[:8]
        return self._identity.certificate(name, answer)

    def ssl_context(self) -> ssl.SSLContext:
        """A TLS context for clients that trusts this server and no other."""
        __tracebackhide__ = True
        context = ssl.create_default_context(cafile=str(self.ca))
        context.set_alpn_protocols(["h2"])
        return context

    def token(self, *, issued_at: Union[None, float, datetime.datetime] = None) -> str:
        """A provider token, for the header `authorization: bearer TOKEN`.

        It stays the same for half an hour, since APNs rejects providers that change it too often. `issued_at`, in UNIX
        seconds or as a datetime with a time zone, makes one for that time, such as an expired one.
        """
        __tracebackhide__ = True
        key, identity = self.key, self._identity
        owner = (identity.team_id, identity.key_id, key.read_text())
        made, token = self._tokens.get(owner, (0.0, ""))
        if issued_at is None and token and time.monotonic() - made < TOKEN_AGE:
            return token
        command = [find_executable(self._executable), "token", "--key", str(key)]
        command += ["--key-id", identity.key_id, "--team-id", identity.team_id]
        if issued_at is not None:
            command.append(f"--issued-at={unix_seconds(issued_at)}")
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Error(f"mock-apns token failed: {done.stderr.strip()}")
        token = done.stdout.strip()
        if issued_at is None:
            self._tokens[owner] = (time.monotonic(), token)
        return token

    # What came.

    def requests(self, **match: Unpack[Match]) -> List[Record]:
        """The requests that match, in order: `apns.requests(device="alice", status=200)`."""
        __tracebackhide__ = True
        question = {"requests": match_json(match), "limit": 1000}
        found: List[Record] = []
        while True:
            page = self._admin.post("/requests/find", {**question, "after": found[-1].sequence if found else 0})
            found += [Record.of(raw) for raw in page["requests"]]
            if len(page["requests"]) < 1000:
                return found

    def count(self, **match: Unpack[Match]) -> int:
        """The number of requests in the log that match; `dropped` says how many it no longer has."""
        __tracebackhide__ = True
        return int(self._admin.post("/requests/count", {"requests": match_json(match)})["count"])

    @property
    def dropped(self) -> int:
        """The number of requests that the log no longer has, because it is full."""
        __tracebackhide__ = True
        return int(self._admin.post("/requests/count", {})["dropped"])

    def wait(self, count: int = 1, timeout: Union[float, Duration] = 5, **match: Unpack[Match]) -> List[Record]:
        """Waits until at least `count` requests match, and returns all that do.

        Requests that came before the call count as well. `timeout` is in seconds, or `"5s"`, or a timedelta. When it is
        over, raises `RequestsMissing`, an AssertionError that shows the requests that almost matched.
        """
        __tracebackhide__ = True
        if isinstance(count, bool) or not isinstance(count, int):
            raise TypeError(f"wait takes a number of requests, such as wait(2), not {count!r}.")
        if count < 1:
            raise ValueError(f"wait({count}) waits for no request; use wait_for_none, such as wait_for_none(1).")
        condition = match_json(match, "wait", "count", "timeout")
        limit = duration_json(timeout)
        question = {"requests": condition, "count": count, "timeout": limit}
        status, answer = self._admin.exchange("POST", "/requests/wait", question, timeout=PATIENCE + 600)
        if status == 408:
            raise self._requests_missing(condition, count, limit, answer)
        if status >= 400:
            raise error_of(status, answer)
        return [Record.of(raw) for raw in answer["requests"]]

    def wait_for_none(self, time: Union[float, Duration] = 1, **match: Unpack[Match]) -> None:
        """Makes sure that no request that matches comes for a time, from now on.

        `time` is in seconds, or `"5s"`, or a timedelta. Raises `UnexpectedRequests`, an AssertionError with the
        requests, as soon as one comes.
        """
        __tracebackhide__ = True
        limit = duration_json(time)
        question = {"requests": match_json(match, "wait_for_none", "time"), "count": 0, "for": limit}
        status, answer = self._admin.exchange("POST", "/requests/wait", question, timeout=PATIENCE + 600)
        if status == 409 and "requests" in answer:
            came = tuple(Record.of(raw) for raw in answer["requests"])
            lines = [f"request {record.sequence}: status {record.status}, {record.path}" for record in came]
            shown = "\n".join(f"  {_printable.line(each)}" for each in lines)
            raise UnexpectedRequests(f"A request came that was not expected.\n{shown}", came)
        if status >= 400:
            raise error_of(status, answer)

    def _requests_missing(
        self, condition: Mapping[str, Any], count: int, limit: str, answer: Mapping[str, Any]
    ) -> RequestsMissing:
        expected = {"requests": condition, "count": {"atLeast": count}}
        report = _printable.block(self._admin.post("/verify", {"expect": [expected]})["report"])
        lines = [line for line in report.splitlines() if line.startswith("  ")]
        if not lines:  # They came just now.
            lines = [f"  seen      {answer['total']} of {count}"]
        lines.insert(0, f"Not enough requests within {duration_text(limit)}.")
        why = _report.why_none(self._admin) or _report.only_calls(self._admin, condition)
        return RequestsMissing("\n".join(lines) + why, near_misses(answer["nearMisses"]))

    # What is expected.

    def verify(self, *expect: Mapping[str, Any]) -> Verification:
        """Judges these expectations, written as in a scenario; by default, those of the scenario.

        Raises `ExpectationsFailed`, an AssertionError with the report, unless they hold:
        `apns.verify({"requests": {"status": 200}, "count": 2})`.
        """
        __tracebackhide__ = True
        return self._verify("/verify", {"expect": list(expect)} if expect else {})

    def _verify(self, path: str, question: Mapping[str, Any]) -> Verification:
        __tracebackhide__ = True
        answer = self._admin.post(path, question)
        results = tuple(
            Result(each["name"], each["passed"], each["expected"], each["seen"], near_misses(each["nearMisses"]))
            for each in answer["results"]
        )
        unused = tuple(answer["unusedRules"])
        report = _printable.block(answer["report"].rstrip("\n"))
        if not answer["passed"]:
            raise ExpectationsFailed(report + _report.why_none(self._admin), results, unused)
        return Verification(results, unused, report)

    def lint(
        self, *, rule: Optional[str] = None, severity: Optional[str] = None, sequence: Optional[int] = None
    ) -> List[Finding]:
        """Likely mistakes in what was pushed: `assert not apns.lint(severity="error")`.

        `rule` asks for findings of that rule, `severity` (`note`, `warning`, `error`) for those at least that severe,
        and `sequence` for those in that push.
        """
        __tracebackhide__ = True
        asked = {"rule": rule, "severity": severity, "sequence": sequence}
        query = urlencode({key: value for key, value in asked.items() if value is not None})
        return [Finding.of(raw) for raw in self._admin.get(f"/lint?{query}")["findings"]]

    # What to do next.

    def rule(
        self,
        then: Union[Mapping[str, Any], Sequence[Mapping[str, Any]]],
        when: Optional[Mapping[str, Any]] = None,
        **rest: Unpack[RuleOptions],
    ) -> str:
        """Adds a rule before all others, and returns its name: `apns.rule({"reject": "TooManyRequests"}, times=2)`.

        `then` is a step, or a list of steps, as in a scenario. `when` has the names of `requests()`, and those of a
        scenario. The rest are `name`, `skip`, `times`, `every`, `probability`, `repeat`, `count_per` and `count`.
        """
        __tracebackhide__ = True
        check(rest, ("when", *RULE), "a rule")
        rule: Dict[str, Any] = {camel(name): value for name, value in rest.items()}
        if when:
            rule["when"] = when_json(when)
        return str(self._admin.post("/rules", {**rule, "then": then})["name"])

    def device(self, name: str) -> Device:
        """A device by its name in the scenario, or by its device token."""
        return Device(self._admin, name)

    def add_device(self, device: Mapping[str, Any]) -> Device:
        """Declares a device, written as in a scenario: `apns.add_device({"name": "alice", "topic": apns.topic})`."""
        __tracebackhide__ = True
        added = self._admin.post("/devices", device)
        return Device(self._admin, added["name"] or added["token"])

    def channels(self) -> List[Channel]:
        """The broadcast channels that exist, in order of creation."""
        __tracebackhide__ = True
        return [Channel.of(raw) for page in self._channel_pages() for raw in page["channels"]]

    def _channel_pages(self) -> Iterator[Any]:
        """The pages of `GET /channels`."""
        after: Optional[int] = 0
        while after is not None:
            page = self._admin.get(f"/channels?limit=1000&after={after}")
            yield page
            after = page["next"]

    def channel(self, name: str) -> Channel:
        """A broadcast channel by its name or its id."""
        __tracebackhide__ = True
        return Channel.of(self._admin.get(f"/channels/{quote(in_url(name), safe='')}"))

    def add_channel(
        self, name: Optional[str] = None, *, topic: Optional[str] = None, id: Optional[str] = None, storage: str = "mostRecent"
    ) -> Channel:
        """Creates a broadcast channel, as a provider does, but with a name if you like.

        `topic` is the app's bundle id, by default that of the server. `storage` is `none` or `mostRecent`.
        """
        __tracebackhide__ = True
        given = {"name": name, "topic": topic or self.topic, "channelID": id, "storage": storage}
        return Channel.of(self._admin.post("/channels", {key: value for key, value in given.items() if value is not None}))

    def unique_subscribers(self, topic: Optional[str] = None) -> int:
        """How many devices have a Live Activity on a channel of the app with this bundle id, by default the server's."""
        __tracebackhide__ = True
        wanted = topic or self.topic
        # Each page has the apps of its channels.
        found = {app["environment"]: app for page in self._channel_pages() for app in page["apps"] if app["topic"] == wanted}
        return sum(app["uniqueSubscribers"] for app in found.values())

    def remove_channel(self, channel: Union[str, Channel]) -> None:
        """Deletes a broadcast channel for good; it may be given by name or id."""
        __tracebackhide__ = True
        self._admin.call("DELETE", f"/channels/{quote(in_url(name_of('remove_channel', channel)), safe='')}")

    def advance(self, by: Duration) -> None:
        """Moves a manual clock: `apns.advance("10m")`. Everything due by then happens before it returns."""
        __tracebackhide__ = True
        self._admin.post("/clock/advance", {"by": duration_json(by)})

    def go_away(
        self,
        reason: Optional[str] = None,
        *,
        text: Optional[str] = None,
        error_code: Union[str, int, None] = None,
        last_stream: Optional[str] = None,
        then: Optional[str] = None,
        connection: Union[int, str] = "all",
    ) -> List[int]:
        """Sends GOAWAY to all open connections, or to the one with that `connection_id`; returns their ids.

        `reason` is one of APNs, such as `"Shutdown"`; `text` is other debug data. `last_stream` is `this`, `previous`,
        `zero` or `all`, `then` is `drain`, `close` or `stayOpen`.
        """
        __tracebackhide__ = True
        frame = {"reason": reason, "text": text, "errorCode": error_code, "lastStream": last_stream, "then": then}
        given = {name: value for name, value in frame.items() if value is not None}
        answer = self._admin.post(f"/connections/{quote(str(connection), safe='')}/goaway", given)
        return list(answer["connections"])

    def play(self, scenario: Scenario) -> None:
        """Plays a scenario, a file or a dictionary, from its beginning; everything else starts over, as with `reset()`."""
        __tracebackhide__ = True
        text, name = _scenario.read(scenario, self._folders)
        self._replaced()
        self._play(text, name)

    def _play(self, text: bytes, name: str = "") -> None:
        __tracebackhide__ = True
        try:
            self._admin.call("PUT", "/scenario?reset=true", text)
        except APIError as error:
            message = name + error.message if name else self._mistakes(text) or error.message
            raise APIError(message, code=error.code, pointer=error.pointer, status=error.status) from None
        self._known = None
        self._has_played = True

    def _mistakes(self, text: bytes) -> str:
        """All mistakes of a scenario that is no file, so that lines and columns mean nothing."""
        __tracebackhide__ = True
        mistakes = self._admin.call("POST", "/scenario/check", text)["mistakes"]
        return "\n".join(_printable.line(each["message"]) for each in mistakes)

    def reset(self) -> None:
        """Starts over: log, devices, rules, clock and counters are as at the start of the scenario.

        Open connections stay open, but lose their number and no longer count in any total.
        """
        __tracebackhide__ = True
        self._replaced()
        self._admin.call("POST", "/reset")

    def session(
        self,
        name: Optional[str] = None,
        scenario: Optional[Scenario] = None,
        *,
        port: Optional[int] = None,
        server_name: Optional[str] = None,
        expires_after: Union[None, float, Duration] = None,
        published_ports: Optional[str] = None,
    ) -> Session:
        """Opens a session, a server of its own within this one, that ends with the block:

            with apns.session(scenario="busy.json") as session:
                …

        It is used like this server. Without a scenario, nothing is scripted in it. A `name` has lowercase letters, digits
        and hyphens. `port` is its port for providers, by default any free one; with `server_name` it also gets the
        connections to the server's own ports that ask for that name. It ends by itself after `expires_after` without a
        push or a call, an hour by default. If a container maps the ports, `published_ports` says how:
        `"12300-12399:2300-2399"`.
        """
        __tracebackhide__ = True
        from ._session import open_session

        options = {"port": port, "server_name": server_name, "expires_after": expires_after}
        return open_session(self, name, scenario, published_ports=published_ports, options=options)

    def _replaced(self) -> None:
        __tracebackhide__ = True
        if self._before_replacing:
            self._before_replacing()

    # For the fixture.

    def _is_alive(self) -> bool:
        """Whether it is worth trying to speak with the server."""
        return True

    def _mark(self) -> None:
        """From now on `_words` are those of another test."""

    def _words(self) -> str:
        """What the server has said on standard error since the last mark."""
        return ""

    @property
    def _identity(self) -> Identity:
        __tracebackhide__ = True
        if self._known is None:
            answer = self._admin.get(self._identity_path)
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="mock-apns-"))
                self._remove = weakref.finalize(self, remove, os.getpid(), self._folder)
            self._known = Identity(answer, self._folder)
        return self._known


def in_url(channel: str) -> str:
    """A channel's id in the alphabet of URLs, since it may have slashes; a name as it is."""
    return channel.replace("+", "-").replace("/", "_") if channel.endswith("=") else channel


def remove(owner: int, folder: Path) -> None:
    """Removes a folder, unless this process was forked from the owner."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
