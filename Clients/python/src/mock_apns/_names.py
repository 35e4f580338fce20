"""Names in Python for those of the admin API, and the nearest one for a misspelling."""

from __future__ import annotations

import datetime
import math
import numbers
import re
from typing import Any, Iterable, Mapping, Optional, TypedDict, Union

Duration = Union[str, datetime.timedelta]
"""`"250ms"`, `"5s"`, `"20m"`, `"1h"`, `"30d"`, or a timedelta."""

Matcher = Union[None, str, int, float, bool, Mapping[str, Any]]
"""A value that has to be equal, `None` for absent, or a condition as in a scenario: `{"prefix": "score-"}`,
`{"oneOf": [429, 503]}`, `{"atLeast": 5}`, `{"exists": True}`, `{"not": …}`."""


class Match(TypedDict, total=False):
    """Conditions for recorded requests, all of which must hold; those of a scenario's rules, in snake_case."""

    device: Matcher
    token: Matcher
    topic: Matcher
    push_type: Matcher
    priority: Matcher
    collapse_id: Matcher
    apns_id: Matcher
    expiration: Matcher
    key_id: Matcher
    team_id: Matcher
    header: Mapping[str, Matcher]
    payload: Mapping[str, Matcher]
    body: Matcher
    payload_bytes: Matcher
    connection: Matcher
    request_on_connection: Matcher
    provider_token: Matcher
    in_flight: Matcher
    server_name: Matcher
    sent_by: Matcher
    call: Matcher
    channel: Matcher
    request_id: Matcher
    unique_id: Matcher
    status: Matcher
    reason: Matcher
    outcome: Matcher
    decided_by: Matcher
    delivery: Matcher


class RuleOptions(TypedDict, total=False):
    """What a rule may have beside `when` and `then`."""

    name: str
    skip: int
    times: int
    every: int
    probability: float
    repeat: str
    count_per: str
    count: str


MATCH = tuple(Match.__annotations__)
RULE = tuple(RuleOptions.__annotations__)


def camel(name: str) -> str:
    """`apns_id` -> `apnsID`, as in JSON."""
    first, *rest = name.split("_")
    return first + "".join("ID" if word == "id" else word.capitalize() for word in rest)


def snake(name: str) -> str:
    """`apnsID` -> `apns_id`, as in Python."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def suggestion(name: str, known: Iterable[str]) -> str:
    """The nearest known name as a question, or all of them."""
    names = list(known)
    if snake(name) in names:
        nearest = [snake(name)]
    else:
        import difflib  # only for a mistake

        nearest = difflib.get_close_matches(name, names, n=1, cutoff=0.7)
    return f'did you mean "{nearest[0]}"?' if nearest else f"there are {', '.join(names)}."


def no_attribute(of: object, name: str) -> AttributeError:
    """The error for an attribute that is not there, with the nearest public one."""
    message = f'{type(of).__name__} has no "{name}"'
    if name.startswith("_"):
        return AttributeError(message)
    return AttributeError(f"{message}; {suggestion(name, (each for each in dir(of) if each[0] != '_'))}")


def check(given: Iterable[str], known: Iterable[str], of: str) -> None:
    """Raises TypeError for a name that is not known."""
    __tracebackhide__ = True
    for name in given:
        if name not in known:
            raise TypeError(f'{of} has no "{name}"; {suggestion(name, known)}')


def match_json(match: Mapping[str, Any], of: str = "a match", *others: str) -> dict[str, Any]:
    """Keyword arguments as a MATCH of the API. `others` are what the function `of` takes besides."""
    __tracebackhide__ = True
    check(match, (*MATCH, *others), of)
    return {camel(name): value for name, value in match.items()}


def when_json(when: Optional[Mapping[str, Any]]) -> dict[str, Any]:
    """The `when` of a rule, in snake_case or as it stands in a scenario."""
    __tracebackhide__ = True
    names = {camel(name): name for name in MATCH[: MATCH.index("status")]}
    json = {}
    for name, value in (when or {}).items():
        if name not in ("on", *names):
            check([name], ("on", *names.values()), "a rule's when")
        json[camel(name) if "_" in name else name] = value
    return json


def unix_seconds(time: Union[float, datetime.datetime]) -> int:
    """A time as a provider token has it; a number is UNIX seconds already."""
    __tracebackhide__ = True
    if isinstance(time, datetime.datetime):
        if time.utcoffset() is None:
            raise ValueError(f"A time needs a time zone, as in datetime.now(timezone.utc); {time!r} has none.")
        return math.floor(time.timestamp())
    if isinstance(time, bool) or not isinstance(time, numbers.Real) or not math.isfinite(time):
        raise TypeError(f"A time is a number of UNIX seconds, or a datetime with a time zone, not {time!r}.")
    return math.floor(time)


def duration_json(duration: Union[Duration, float]) -> str:
    """A duration as the API wants it; a number is seconds."""
    __tracebackhide__ = True
    if isinstance(duration, str):
        return duration
    seconds = duration.total_seconds() if isinstance(duration, datetime.timedelta) else duration
    if isinstance(seconds, bool) or not isinstance(seconds, numbers.Real):
        raise TypeError(f'A duration is a number of seconds, a text such as "5s", or a timedelta, not {duration!r}.')
    if not 0 <= seconds < math.inf:
        raise ValueError(f"A duration is 0 or more, and not infinite; this one is {duration!r}.")
    return f"{round(seconds * 1000)}ms"


def duration_text(duration: str) -> str:
    """A duration of the API as people write it: `5000ms` is `5s`."""
    return duration[:-5] + "s" if duration.endswith("000ms") else duration
