"""What lint finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional

from ._record import values


@dataclass(frozen=True)
class Finding:
    """A likely mistake in the payloads that were pushed, or of the provider, once for each rule and pointer."""

    __module__ = "mock_apns"

    rule: str
    """The name of the rule, as in `badge-type`."""
    severity: str
    """`error`, `warning` or `note`."""
    pointer: str
    """A JSON Pointer to the value in the payload; empty for what is about all of it, or about the provider."""
    message: str
    """The mistake, its correction and the effect without it."""
    source: str
    """What the rule rests on."""
    count: int
    """The number of pushes with it."""
    sequence: Optional[int]
    """The push that the message is about, the first of the worst; `None` for what no push is to blame for."""
    first_sequence: Optional[int]
    last_sequence: Optional[int]

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> "Finding":
        return cls(**values(cls, raw))
