"""What can go wrong, each with one sentence for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping, Sequence, Tuple

from . import _printable

if TYPE_CHECKING:
    from ._activity import Activity
    from ._record import Record


class Error(Exception):
    """Something is wrong with mock-apns, or with the way it is used."""

    __module__ = "mock_apns"

    def __init__(self, message: str) -> None:
        super().__init__(_printable.block(message))


class StartError(Error):
    """The server could not be started, or ended by itself."""

    __module__ = "mock_apns"


class APIError(Error):
    """The server rejected a call.

    `str(error)` is the server's sentence, with the nearest valid word for a misspelling. `pointer` is a JSON Pointer to
    what is wrong in what was sent; it can be empty. `code` is for programs, `status` is that of the answer.
    """

    __module__ = "mock_apns"

    def __init__(self, message: str, *, code: str = "", pointer: str = "", status: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.pointer = pointer
        self.status = status


@dataclass(frozen=True)
class NearMiss:
    """A request that almost matched."""

    __module__ = "mock_apns"

    sequence: int
    """The number of its record."""
    differences: Tuple[Mapping[str, Any], ...]
    """For each field that differs: `field`, what was `expected`, in words, and what was `found`."""
    explanation: str = ""
    """Why the push was refused, if the answer is what differs."""


def near_misses(raw: Sequence[Mapping[str, Any]]) -> Tuple[NearMiss, ...]:
    return tuple(NearMiss(miss["sequence"], tuple(miss["differences"]), miss.get("explanation", "")) for miss in raw)


class RequestsMissing(AssertionError):
    """`wait()` timed out. The message shows the requests that almost matched; `near_misses` has them for programs."""

    __module__ = "mock_apns"

    def __init__(self, message: str, near_misses: Tuple[NearMiss, ...] = ()) -> None:
        super().__init__(message)
        self.near_misses = near_misses


class ActivitiesMissing(AssertionError):
    """`wait_for_activities()` timed out. `activities` has those that there were, for programs."""

    __module__ = "mock_apns"

    def __init__(self, message: str, activities: Tuple[Activity, ...] = ()) -> None:
        super().__init__(message)
        self.activities = activities


class UnexpectedRequests(AssertionError):
    """A request came while `wait_for_none()` waited. The message names it; `requests` has it for programs."""

    __module__ = "mock_apns"

    def __init__(self, message: str, requests: Tuple[Record, ...] = ()) -> None:
        super().__init__(message)
        self.requests = requests


@dataclass(frozen=True)
class Result:
    """The result of one expectation."""

    __module__ = "mock_apns"

    name: str
    passed: bool
    expected: str
    seen: str
    near_misses: Tuple[NearMiss, ...]


@dataclass(frozen=True)
class Verification:
    """The results of expectations that all hold."""

    __module__ = "mock_apns"

    results: Tuple[Result, ...]
    unused_rules: Tuple[str, ...]
    """The rules that never applied."""
    report: str
    """The results as text."""


class ExpectationsFailed(AssertionError):
    """Expectations do not hold. The message is their names and the report; `results` has each result for programs,
    and `unused_rules` the names of the rules that never applied."""

    __module__ = "mock_apns"

    def __init__(
        self, report: str, results: Tuple[Result, ...] = (), unused_rules: Tuple[str, ...] = ()
    ) -> None:
        # Summaries show the beginning alone.
        names = ", ".join(_printable.line(each.name) for each in results if not each.passed)
        super().__init__(f"{names}: {report}" if names else report)
        self.report = report
        self.results = results
        self.unused_rules = unused_rules
