"""What came to the server, for people who look at a failed test."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping

from . import _printable
from ._admin import Admin
from ._record import Record

SHOWN = 50
# The calls about channels, and all other requests: what does not name `call` is about pushes to devices.
CALLS: Mapping[str, Any] = {"call": {"exists": True}}
OTHERS: Mapping[str, Any] = {"call": {"exists": False}}
ABOUT_CALLS = {"call", "channel", "requestID"}


def log(admin: Admin) -> str:
    """The last requests, calls about channels too, or why none came."""
    pages = [admin.post("/requests/find", {"requests": kind, "order": "desc", "limit": SHOWN}) for kind in (OTHERS, CALLS)]
    found = [Record.of(raw) for page in pages for raw in page["requests"]]
    records = sorted(found, key=lambda record: record.sequence)[-SHOWN:]
    if not records:
        return "No request arrived." + connections(admin)
    total = sum(page["total"] for page in pages) + pages[0]["dropped"]
    lines = [f"{total} request{'s' * (total != 1)}" + (f", the last {len(records)}:" if total > len(records) else ":")]
    for record in records:
        lines.append(f"{record.sequence:>3}  {record.time:%H:%M:%S.%f}"[:-3] + f"  {record.summary()}")
        is_push = record.call in (None, "publish")
        for detail in (record.explanation, record.ignored, headers(record), body(record) if is_push else ""):
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
    """Why no request came; nothing if one did, be it a call about channels."""
    return "" if arrived(admin, OTHERS) or arrived(admin, CALLS) else "\nNo request arrived." + connections(admin)


def only_calls(admin: Admin, condition: Mapping[str, Any]) -> str:
    """That all requests that came are calls about channels, if the condition is about pushes; else nothing."""
    calls = 0 if ABOUT_CALLS & set(condition) or arrived(admin, OTHERS) else arrived(admin, CALLS)
    what = f"{calls} call{'s' * (calls != 1)} about channels"
    return f'\nNo push to a device arrived, but {what}, found by a match that names call="publish" or another.' if calls else ""


def arrived(admin: Admin, kind: Mapping[str, Any]) -> int:
    """How many requests of a kind are in the log."""
    return int(admin.post("/requests/count", {"requests": kind})["count"])


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
