"""Our own clients, against peers whose answers never end: `probe`, `suite`, `collect`, `serve --fleet`, `verify --fleet`."""

import concurrent.futures
import contextlib
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

import endless
from fleets import Engine
from victim import EXECUTABLE, MB, Skip, attack, demand

# How many run at the same time; each keeps a processor busy as long as its peer sends.
TOGETHER = 4
# What a client may take for all it is told to do, in seconds: a machine is shared with its peer.
PATIENCE = 60
# How long a reply of an engine may take to become whole, as the article Fleet says.
REPLY = 60


def each(kinds, run):
    """Runs something for each kind, a few at a time; returns what each gave."""
    with concurrent.futures.ThreadPoolExecutor(TOGETHER) as pool:
        def tell(kind):
            try:
                return run(kind)
            except AssertionError as error:
                raise AssertionError(f"{kind}: {error}") from error

        return list(pool.map(tell, kinds))


def some(kinds, random, scale):
    """All kinds, or as many of them as a short run has time for."""
    return random.sample(kinds, max(4, round(len(kinds) * min(1, scale))))


def timed(command, codes, patience=PATIENCE):
    """The seconds that a command took that has to end by itself, with one of these exit codes."""
    began = time.monotonic()
    code, told = endless.watch(command, seconds=patience)
    demand(code in codes, f"exit code {code}: {told[-500:]}")
    return time.monotonic() - began


@attack("endless-server", seconds=600)
def endless_server(victim, random, scale):
    """Servers that keep sending, or hardly do, are probed."""

    def probe(kind):
        with endless.Server(kind) as server:
            # It finds out that this is no APNs, or gives up.
            return timed(
                [EXECUTABLE, "probe", *server.words, "--only", "headers", "--timeout", "2s"], (0, 1, 69))

    kinds = some(endless.KINDS, random, scale)
    return f"{len(kinds)} servers, the slowest took {max(each(kinds, probe)):.1f} s"


@attack("endless-driver", seconds=600)
def endless_driver(victim, random, scale):
    """Drivers that never end what they write take part in a suite."""

    def play(kind):
        return timed(
            [EXECUTABLE, "suite", "--only", "tour", "--timeout", "2s", "--story-timeout", "10s", "--",
             *endless.driver(kind)], (1,))

    kinds = some(endless.DRIVER_KINDS, random, scale)
    return f"{len(kinds)} drivers, the slowest took {max(each(kinds, play)):.1f} s"


@attack("endless-engine", seconds=900)
def endless_engine(victim, random, scale):
    """Engines that never end a reply are joined by collectors, replicas and verdicts."""
    with tempfile.TemporaryDirectory(prefix="mock-apns-abuse-") as name:
        folder = pathlib.Path(name)
        scenario = folder / "it.json"
        scenario.write_text('{"expect": [{"requests": {}, "count": 1}]}')
        commands = [
            ["collect", "--admin-port", "0"],
            ["serve", "--port", "0", "--admin-port", "0", "--certs", str(folder / "certs")],
            ["verify", str(scenario)],
        ]

        def join(kind):
            with endless.Engine(kind) as engine:
                # Only one that sends a byte now and then is waited for.
                patience = PATIENCE + (REPLY if kind == "drip" else 0)
                return max(
                    timed([EXECUTABLE, *command, "--fleet", engine.url], (1, 69), patience) for command in commands)

        kinds = some(endless.ENGINE_KINDS, random, scale)
        return f"{len(kinds)} engines, the slowest took {max(each(kinds, join)):.1f} s"


class Member:
    """A member of a fleet that has joined."""

    def __init__(self, *words):
        self.process = subprocess.Popen(
            [EXECUTABLE, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        demand(self.process.stdout.readline(), "a member did not get ready")

    def end(self):
        """Seconds from SIGTERM to the end."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise AssertionError("still there after SIGTERM") from None
        demand(code == 0, f"exit code {code} after SIGTERM")
        return time.monotonic() - began

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@attack("endless-engine-later", seconds=900)
def endless_engine_later(victim, random, scale):
    """An engine begins a reply that never ends while members run; memory stays, and SIGTERM works."""
    if not shutil.which("redis-server"):
        raise Skip("redis-server is not installed")

    def turn(kind):
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="mock-apns-abuse-"))
            engine = stack.enter_context(endless.Engine(kind, behind=stack.enter_context(Engine())))
            members = []
            for words in (["collect", "--admin-port", "0"],
                          ["serve", "--port", "0", "--admin-port", "0", "--certs", folder]):
                members.append(Member(*words, "--fleet", engine.url))
                stack.callback(members[-1].kill)
            engine.turn()
            # Long enough for gigabytes.
            end = time.monotonic() + 5
            while time.monotonic() < end:
                for member in members:
                    most = endless.peak(member.process)
                    demand(most <= endless.MEMORY, f"{most // MB} MB")
                time.sleep(0.05)
            # Both at the same time, as when a pod goes away.
            with concurrent.futures.ThreadPoolExecutor() as pool:
                seconds = max(pool.map(Member.end, members))
            demand(seconds < 8, f"{seconds:.1f} s from SIGTERM to the end")
            return seconds

    kinds = some(endless.ENGINE_KINDS, random, scale)
    return f"{len(kinds)} engines, the slowest end took {max(each(kinds, turn)):.1f} s"
