"""What lint finds in payloads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional

from ._record import values


@dataclass(frozen=True)
class Finding:
    """A likely mistake in the payloads that were pushed, once for each rule and pointer."""

    __module__ = "mock_apns"

    rule: str
    """The name of the rule, as in `badge-type`."""
    severity: str
    """`error`, `warning` or `note`."""
    pointer: str
    """A JSON Pointer to the value in the payload."""
    message: str
    """What was found, what would be right, and what happens otherwise."""
    source: str
    """What the rule rests on."""
    count: int
    """The number of pushes with it."""
    sequence: Optional[int]
    """The first push with it."""
    first_sequence: Optional[int]
    last_sequence: Optional[int]

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> "Finding":
        return cls(**values(cls, raw))
