"""Scenarios: files and dictionaries, as text that the server reads."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence, Tuple, Union

from ._errors import Error

Scenario = Union[str, "os.PathLike[str]", Mapping[str, Any]]
"""The path of a scenario file, or its content."""


def read(scenario: Optional[Scenario], folders: Sequence[Path]) -> Tuple[bytes, str]:
    """The text of a scenario, and what to call it in messages. A relative path is looked up in each of the folders."""
    __tracebackhide__ = True
    if scenario is None:
        return b"{}", ""
    if isinstance(scenario, Mapping):
        return json.dumps(scenario).encode(), ""
    if not isinstance(scenario, (str, os.PathLike)):
        raise TypeError(f"A scenario is a path or a dictionary, not {scenario!r}.")
    path = find(Path(scenario), folders)
    try:
        text = path.read_bytes()
    except OSError as error:
        raise Error(f"The scenario {path} cannot be read: {error.strerror}.") from None
    return with_absolute_paths(text, path.parent), f"{path}: "


def find(path: Path, folders: Sequence[Path]) -> Path:
    __tracebackhide__ = True
    for folder in folders:
        if (folder / path).exists():
            return folder / path
    if path.is_absolute():
        raise Error(f"There is no scenario {path}.")
    import difflib  # only for a mistake

    there = [each.name for folder in folders for each in (folder / path).parent.glob("*.json")]
    nearest = difflib.get_close_matches(path.name, there, n=1)
    hint = f'; did you mean "{path.with_name(nearest[0])}"?' if nearest else "."
    searched = " or ".join(dict.fromkeys(str(folder.absolute()) for folder in folders))
    raise Error(f"There is no scenario {path} in {searched}{hint}")


def with_absolute_paths(text: bytes, folder: Path) -> bytes:
    """The text, with the files of keys and authorities named from the root: paths in a file are relative to it."""
    if b'"file"' not in text and b'"authorities"' not in text:
        return text
    try:
        scenario = json.loads(text)
        authentication = scenario["authentication"]
        for team in authentication.get("teams", []):
            for key in team.get("keys", []):
                if "file" in key:
                    key["file"] = str(folder / key["file"])
        certificates = authentication.get("clientCertificates", {})
        if "authorities" in certificates:
            certificates["authorities"] = [str(folder / each) for each in certificates["authorities"]]
        return json.dumps(scenario).encode()
    except (ValueError, KeyError, TypeError, AttributeError):
        return text  # The server says what is wrong with it.
