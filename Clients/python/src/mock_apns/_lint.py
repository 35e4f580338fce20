"""What lint finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional

from . import _printable
from ._record import values


@dataclass(frozen=True, repr=False)
class Finding:
    """A likely mistake in payloads or by the provider; there is one finding for each rule and pointer.

    It is shown as the command shows it: `push 1: error: MESSAGE [rule]`.
    """

    __module__ = "mock_apns"

    rule: str
    """The name of the rule, as in `badge-type`."""
    severity: str
    """`error`, `warning` or `note`."""
    pointer: str
    """A JSON Pointer to the value in the payload; empty if it is about all of it, or about the provider."""
    message: str
    """What is wrong, how to fix it, and what happens if you don't."""
    source: str
    """What the rule is based on."""
    count: int
    """The number of pushes that have it."""
    sequence: Optional[int]
    """The push that the message is about, the first of the worst; `None` if no push is to blame."""
    first_sequence: Optional[int]
    last_sequence: Optional[int]

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> "Finding":
        return cls(**values(cls, raw))

    def __repr__(self) -> str:
        where = "" if self.sequence is None else f"push {self.sequence}: "
        times = ""
        if self.count > 1 and self.sequence is not None:
            first = "" if self.first_sequence == self.sequence else f", first in push {self.first_sequence}"
            times = f" ({self.count} times{first}, last in push {self.last_sequence})"
        return _printable.line(f"{where}{self.severity}: {self.message}{times} [{self.rule}]")
