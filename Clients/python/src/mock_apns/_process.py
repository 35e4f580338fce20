"""The process of a server."""

from __future__ import annotations

import json
import os
import re
import select
import shlex
import shutil
import subprocess
import tempfile
import time
import weakref
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

from ._errors import StartError

# How long to wait for the ready line, and for the end, in seconds. They only end what hangs.
START, END = 120.0, 10.0
# Open streams are given five seconds by the server, which no test has to wait for; nor does a test for a server that
# answers no call and has not ended.
GRACE = 1.0

# Removes the folder when our process is gone, and then the server: both hold the other end of its standard input.
REMOVER = 'read -r _; rm -rf -- "$0"'


class Process:
    """A running `mock-apns serve` with a folder of its own. It ends with our process, at the latest."""

    def __init__(self, executable: str, words: Sequence[str], token: Optional[str]) -> None:
        __tracebackhide__ = True
        self.executable = executable
        self.folder = Path(tempfile.mkdtemp(prefix="mock-apns-"))
        self.stderr = self.folder / "stderr.txt"
        command = [executable, "serve", "--exit-with-parent", *words]
        # Options of the command line win over those of the variable.
        if not any(names_certs(word) for word in [*words, *options_of_environment()]):
            command += ["--certs", str(self.folder / "certs")]
        environment = {**os.environ, "MOCK_APNS_ADMIN_TOKEN": token} if token else None
        remover = subprocess.Popen(
            ["/bin/sh", "-c", REMOVER, str(self.folder)], stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )
        assert remover.stdin
        try:
            with open(self.stderr, "wb") as stderr:
                # Control-C is for us; we end it.
                self._process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr,
                    env=environment, start_new_session=True, pass_fds=[remover.stdin.fileno()],
                )
        except OSError as error:
            remove(self.folder, remover)
            raise StartError(f"{executable} cannot be run: {error.strerror}.") from None
        self._end = weakref.finalize(self, end, os.getpid(), self._process, remover, self.folder)

    def wait_until_ready(self) -> Dict[str, Any]:
        """The ready line."""
        __tracebackhide__ = True
        line = self._first_line()
        try:
            ready: Dict[str, Any] = json.loads(line)
            if ready["event"] == "ready":
                return ready
        except (ValueError, KeyError, TypeError):
            pass
        shown = line[:80].decode(errors="replace")
        raise StartError(f"{self.executable} is not mock-apns: its first line is {shown!r}.")

    def _first_line(self) -> bytes:
        __tracebackhide__ = True
        assert self._process.stdout
        descriptor, text = self._process.stdout.fileno(), b""
        deadline = time.monotonic() + START
        while b"\n" not in text:
            if not select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise StartError(f"{self.executable} said nothing for {START:.0f} s, and so is not ready.")
            part = os.read(descriptor, 65536)
            if not part:
                words = self._last_words("could not be started", END)
                raise StartError(words or f"{self.executable} closed its output.")
            text += part
        return text.split(b"\n")[0]

    def explain(self, error: OSError) -> Optional[str]:
        """Why it does not answer, if it has ended."""
        return None if isinstance(error, TimeoutError) else self._last_words("ended by itself", GRACE)

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def _last_words(self, what: str, patience: float) -> Optional[str]:
        try:
            code = self._process.wait(patience)
        except subprocess.TimeoutExpired:
            return None
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        words = self.stderr.read_text(errors="replace").strip() if self.stderr.exists() else ""
        # Usage and help follow after what was wrong.
        words = re.split(r"\n(?:Usage:|Help:|See ')", words)[0][-2000:]
        for prefix in ("mock-apns: error: ", "mock-apns: ", "Error: "):
            words = words[len(prefix) :] if words.startswith(prefix) else words
        return f"{self.executable} {what} ({how}): {words or 'it said nothing.'}"

    def stop(self) -> None:
        """Ends it and removes its folder."""
        self._end()


def options_of_environment() -> List[str]:
    """The words in the variable that holds options of the server."""
    try:
        return shlex.split(os.environ.get("MOCK_APNS_OPTIONS", ""))
    except ValueError:  # The server says what is wrong.
        return []


def names_certs(word: str) -> bool:
    return word == "--certs" or word.startswith("--certs=")


def end(owner: int, process: subprocess.Popen[bytes], remover: subprocess.Popen[bytes], folder: Path) -> None:
    """Ends the process of a server. In a process that was forked from the owner it does nothing."""
    if os.getpid() != owner:
        return
    for seconds in (GRACE, END):
        if process.poll() is None:
            process.terminate()
        try:
            process.wait(seconds)
            break
        except subprocess.TimeoutExpired:
            pass
    else:
        process.kill()
        process.wait()
    if process.stdout:
        process.stdout.close()
    remove(folder, remover)


def remove(folder: Path, remover: subprocess.Popen[bytes]) -> None:
    """Removes the folder, without waiting for processes that were forked from ours."""
    remover.kill()
    remover.wait()
    if remover.stdin:
        remover.stdin.close()
    shutil.rmtree(folder, ignore_errors=True)
