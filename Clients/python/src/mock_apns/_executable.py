"""Finds the command `mock-apns`."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path
from typing import Iterator, Optional, Union

from ._errors import StartError

VARIABLE = "MOCK_APNS_EXECUTABLE"


def find_executable(given: Optional[Union[str, "os.PathLike[str]"]] = None) -> str:
    """The path of the command.

    It is the one that is given, else that of the variable MOCK_APNS_EXECUTABLE, else the one that was installed with
    this package, else one in PATH.
    """
    __tracebackhide__ = True
    named = given or os.environ.get(VARIABLE)
    if named:
        path = os.path.abspath(named)
        if not os.path.isfile(path):
            raise StartError(f"There is no executable {path}.")
        if not os.access(path, os.X_OK):
            raise StartError(f"{path} is not executable.")
        return path
    for folder in folders():
        file = folder / "mock-apns"
        if os.access(file, os.X_OK):
            return str(file)
    found = shutil.which("mock-apns")
    if not found:
        raise StartError(
            "The command mock-apns was not found: this package was installed without it. Install a wheel for this "
            f"system, or name the executable by the variable {VARIABLE} or, for pytest, by --mock-apns-executable."
        )
    return found


def folders() -> Iterator[Path]:
    """Where pip puts a command, nearest first: into an environment, beside a --target, into the user's own folder."""
    yield Path(sysconfig.get_path("scripts"))
    package = Path(__file__).resolve().parent.parent
    yield package / "bin"
    user = f"{os.name}_user"
    if sys.version_info >= (3, 10):
        user = sysconfig.get_preferred_scheme("user")
    yield Path(sysconfig.get_path("scripts", scheme=user))
