"""Scenarios: files and dictionaries, as text that the server reads."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence, Tuple, Union

from ._errors import Error

Scenario = Union[str, "os.PathLike[str]", Mapping[str, Any]]
"""The path of a scenario file, the name of a built-in scenario, or its content."""

BUILT_IN = Path(__file__).parent / "scenarios"
"""The folder of the built-in scenarios and of their schema."""


def read(scenario: Optional[Scenario], folders: Sequence[Path]) -> Tuple[bytes, str]:
    """The text of a scenario, and what to call it in messages.

    A relative path is looked up in each of the folders. Where there is no such file, it may name a built-in scenario.
    """
    __tracebackhide__ = True
    if scenario is None:
        return b"{}", ""
    if isinstance(scenario, Mapping):
        return json.dumps(scenario).encode(), ""
    if not isinstance(scenario, (str, os.PathLike)):
        raise TypeError(f"A scenario is a path, the name of a built-in one, or a dictionary, not {scenario!r}.")
    path = find(Path(scenario), folders)
    try:
        text = path.read_bytes()
    except OSError as error:
        raise Error(f"The scenario {path} cannot be read: {error.strerror}.") from None
    return with_absolute_paths(text, path.parent), f"{path}: "


def find(path: Path, folders: Sequence[Path]) -> Path:
    __tracebackhide__ = True
    for folder in folders:
        # A folder may have the name of a built-in scenario, as one of tests for it.
        if (folder / path).is_file() or (path.suffix and (folder / path).exists()):
            return folder / path
    if path.is_absolute():
        raise Error(f"There is no scenario {path}.")
    is_name = len(path.parts) == 1 and not path.suffix
    if is_name and (BUILT_IN / f"{path}.json").is_file():
        return BUILT_IN / f"{path}.json"
    import difflib  # only for a mistake

    there = {each.name: str(path.with_name(each.name)) for folder in folders for each in (folder / path).parent.glob("*.json")}
    built_in = {each.stem: each.stem for each in BUILT_IN.glob("*.json") if each.stem != "scenario.schema"}
    searched = " or ".join(dict.fromkeys(str(folder.absolute()) for folder in folders))
    if f"{path.name}.json" in there:
        nearest = [f"{path.name}.json"]
    elif not is_name and path.stem in built_in and len(path.parts) == 1:
        nearest = [path.stem]
    else:
        # Without the extension, which makes all files alike. A part of a name is no close match of it.
        words = {letters(Path(each).stem): each for each in [*(built_in if is_name else []), *there]}
        wanted = letters(path.stem)
        close = difflib.get_close_matches(wanted, words, n=1)
        if not close and len(wanted) > 2:
            close = sorted(each for each in words if wanted in each)[:3]
        nearest = [words[each] for each in close]
    known = {**built_in, **there}
    hint = "; did you mean " + " or ".join(f'"{known[each]}"' for each in nearest) + "?" if nearest else "."
    message = f"There is no scenario {path} in {searched}"
    if is_name:
        message += ", and none of that name is built in"
        if not nearest:
            hint = f"; those are {', '.join(sorted(built_in))}."
    raise Error(message + hint)


def letters(name: str) -> str:
    """A name without what is easily written in another way: capitals, hyphens, underscores."""
    return re.sub(r"[\W_]", "", name.lower())


def with_absolute_paths(text: bytes, folder: Path) -> bytes:
    """The text, with absolute paths to the files of keys and authorities: those in a file are relative to it."""
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
