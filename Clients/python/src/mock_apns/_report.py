"""What came to the server, for people who look at a failed test."""

from __future__ import annotations

import json
from typing import Any, Dict, List

from . import _printable
from ._admin import Admin
from ._record import Record

SHOWN = 50


def log(admin: Admin) -> str:
    """The last requests, or why none came."""
    page = admin.get(f"/requests?order=desc&limit={SHOWN}")
    records = [Record.of(raw) for raw in reversed(page["requests"])]
    if not records:
        return "No request arrived." + connections(admin)
    total = page["total"] + page["dropped"]
    lines = [f"{total} request{'s' * (total != 1)}" + (f", the last {len(records)}:" if total > len(records) else ":")]
    for record in records:
        lines.append(f"{record.sequence:>3}  {record.time:%H:%M:%S.%f}"[:-3] + f"  {record.summary()}")
        for detail in (record.explanation, headers(record), body(record)):
            if detail:
                lines.append(f"     {_printable.line(detail)}")
    return "\n".join(lines)


def headers(record: Record) -> str:
    shown = {"priority": record.priority, "expiration": record.expiration, "collapse-id": record.collapse_id}
    return ", ".join(f"{name} {value}" for name, value in shown.items() if value is not None)


def body(record: Record) -> str:
    text = record.payload_text
    if text is None:
        text = json.dumps(record.payload, ensure_ascii=False) if record.payload is not None else ""
    return text if len(text) <= 300 else f"{text[:300]}…"


def why_none(admin: Admin) -> str:
    """Why no request came; nothing if one did."""
    none = admin.get("/requests?limit=1")["total"] == 0
    return "\nNo request arrived." + connections(admin) if none else ""


def connections(admin: Admin) -> str:
    """How connections ended that brought no request."""
    found: List[Dict[str, Any]] = admin.get("/connections")["connections"]
    found = [each for each in found if each["connection"] is not None]
    if not found:
        return " There was no connection."
    lines = []
    for each in found[-5:]:
        end = f"closed by {each['closedBy']}" if each["closedBy"] else "open"
        why = f": {each['explanation']}" if each["explanation"] else "."
        lines.append(_printable.line(f"Connection {each['connection']} is {end}{why}"))
    return "\n" + "\n".join(lines)
