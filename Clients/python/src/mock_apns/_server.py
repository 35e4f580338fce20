"""Starts and stops the command."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, List, Mapping, Optional, Sequence, Tuple, TypedDict, TypeVar, Union

from ._admin import PATIENCE, Admin
from ._apns import APNs
from ._errors import StartError
from ._executable import find_executable
from ._names import check
from ._process import Process
from ._scenario import Scenario, read

if TYPE_CHECKING:
    from typing_extensions import Unpack

Self = TypeVar("Self", bound="Server")

NOT_RUNNING = "The server is not running; use it as a context manager, or call start()."


class Options(TypedDict, total=False):
    """Options of `mock-apns serve`, with underscores. They override the scenario."""

    auth: str
    environment: str
    initial_streams: int
    server_name: Union[str, Sequence[str]]
    trust_key: Union[str, Sequence[str]]
    host: str
    port: Union[int, Sequence[int]]
    manage_port: Union[int, str, Sequence[Union[int, str]]]
    proxy_port: int
    admin_host: str
    admin_port: int
    admin_name: Union[str, Sequence[str]]
    admin_token: str
    admin_prefix: str
    certs: Union[str, "os.PathLike[str]"]
    topic: Union[str, Sequence[str]]
    fleet: str
    fleet_name: str
    fleet_delay: str
    replica: str
    log: Union[str, "os.PathLike[str]"]
    log_limit: int
    no_page: bool
    session_ports: str
    threads: int
    verbose: bool


OPTIONS = tuple(Options.__annotations__)


class Server(APNs):
    """A server of your own, on free ports, that ends with the block:

        with mock_apns.Server(scenario="busy.json") as apns:
            …

    `scenario` is a path or a dictionary. `executable` is the command, where it is not the one that was installed with
    this package. The other options are those of `mock-apns serve`, with underscores: `auth="none"`,
    `initial_streams=1000`, `log="pushes.jsonl"`.

    Without a block, call `start()` and `stop()`.
    """

    __module__ = "mock_apns"

    def __init__(
        self,
        scenario: Optional[Scenario] = None,
        *,
        executable: Optional[Union[str, "os.PathLike[str]"]] = None,
        **options: Unpack[Options],
    ) -> None:
        __tracebackhide__ = True
        check(options, ("scenario", "executable", *OPTIONS), "mock_apns.Server")
        self._scenario = scenario
        self._given = executable
        self._options: Mapping[str, Any] = dict(options)
        self._process: Optional[Process] = None
        self._said = 0
        self._connect(NotStarted(), executable)

    def __enter__(self: Self) -> Self:
        __tracebackhide__ = True
        return self.start()

    def start(self: Self) -> Self:
        """Starts the server, and returns when it is ready."""
        __tracebackhide__ = True
        if self._process:
            raise StartError("The server is running already.")
        text, name = read(self._scenario, self._folders)
        executable = find_executable(self._given)
        token = self._options.get("admin_token")
        process = Process(executable, arguments(self._options), token)
        try:
            ready = process.wait_until_ready()
            self._connect(Admin(ready["admin"], token, process.explain), executable)
            # What is made for the provider goes with the rest, whatever happens.
            self._folder = process.folder / "provider"
            self._folder.mkdir(mode=0o700)
            link(Path(ready["certificateAuthority"]).parent, self._folder)
            if self._scenario is not None:
                self._play(text, name)
        except BaseException:
            self._connect(NotStarted(), self._given)
            process.stop()
            raise
        self._process = process
        return self

    def stop(self) -> None:
        """Ends the server, and removes what it made. It can be started again."""
        if self._process:
            super().close()
            self._process.stop()
            self._connect(NotStarted(), self._given)
            self._process = None

    close = stop

    def _is_alive(self) -> bool:
        return self._process is not None and self._process.is_alive

    def _mark(self) -> None:
        self._said = self._process.stderr.stat().st_size if self._process else 0

    def _words(self) -> str:
        return self._process.stderr.read_bytes()[self._said :].decode(errors="replace") if self._process else ""

    def __repr__(self) -> str:
        return super().__repr__() if self._process else "<mock_apns.Server, not running>"


class NotStarted(Admin):
    """Stands for the admin API while there is none."""

    def __init__(self) -> None:
        self.url, self.token = "", None

    @property
    def api(self) -> str:
        __tracebackhide__ = True
        raise StartError(NOT_RUNNING)

    def root(self) -> Admin:
        return self

    def exchange(self, method: str, path: str, body: Any = None, timeout: float = PATIENCE) -> Tuple[int, Any]:
        __tracebackhide__ = True
        raise StartError(NOT_RUNNING)


def link(certificates: Path, folder: Path) -> None:
    """Makes the server's certificates and keys appear in the provider's folder, which may get others instead of some."""
    for file in certificates.iterdir():
        if not file.name.startswith("."):
            (folder / file.name).symlink_to(file.absolute())


def arguments(options: Mapping[str, Any]) -> List[str]:
    """Options in Python as those of the command. A token is no argument, since others can read those."""
    words: List[str] = []
    if not options.get("verbose") and "--verbose" not in os.environ.get("MOCK_APNS_OPTIONS", ""):
        words.append("--quiet")
    for name, value in {"port": 0, "admin_port": 0, **options}.items():
        option = f"--{name.replace('_', '-')}"
        if value is None or value is False or name == "admin_token":
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            for each in value:
                words += [option, str(each)]
        else:
            words += [option, str(value)]
    return words
