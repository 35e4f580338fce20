"""Logs that cannot be written: a full disk, a reader who stops, a pipe without one."""

import contextlib
import json
import os
import pathlib
import queue
import subprocess
import tempfile
import threading
import time

import wire
from victim import BODY, PATH, Failure, Skip, Victim, attack, demand

LOST = "log_write_errors_total"


class Unread(Victim):
    """A server whose standard output is read up to the line that it is ready, and no further."""

    def _wait_until_ready(self):
        lines = queue.Queue()
        self.drain = threading.Thread(target=lambda: lines.put(self.process.stdout.readline()), daemon=True)
        self.drain.start()
        with contextlib.suppress(queue.Empty):
            self.first = lines.get(timeout=20)
        original, self.process.stdout = self.process.stdout, [self.first]
        try:
            super()._wait_until_ready()
        finally:
            self.process.stdout = original


def tell_lost(server, pushes, written):
    """What is lost is counted in lines."""
    lost = server.metric(LOST)
    demand(lost is not None, f"there is no metric {LOST}")
    demand(lost + written >= pushes, f"of {pushes} pushes {written} are in the log, and {lost:.0f} lines are said to be lost")
    return f"{pushes} pushes, {written} lines written, {lost:.0f} lost"


def push_on(server, count, limit=1.5):
    server.token_text = server.token()
    slowest = server.push_many(count)
    demand(slowest < limit, f"a hundred pushes took {slowest:.1f} s")
    return slowest


@attack("disk-full", seconds=60)
def disk_full(victim, random, scale):
    """A log on a device that is full from the beginning."""
    if not os.path.exists("/dev/full"):
        raise Skip("there is no /dev/full")
    pushes = max(1000, int(20_000 * scale))
    with Victim("--log", "/dev/full") as server:
        slowest = push_on(server, pushes)
        told = tell_lost(server, pushes, 0)
        demand(server.stderr().count("\n") < 20, "complains again and again")
        server.end()
    return f"{told}, slowest hundred {slowest * 1000:.0f} ms"


@attack("disk-fills", seconds=60)
def disk_fills(victim, random, scale):
    """A log on a small file system that fills, and has room again."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="mock-apns-full-"))
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], capture_output=True)
    try:
        if mounted.returncode:
            raise Skip("only root mounts a file system")
        log = folder / "log.jsonl"
        with Victim("--log", str(log)) as server:
            push_on(server, 5000)
            full = log.stat().st_size
            subprocess.run(["mount", "-o", "remount,size=16m", str(folder)], check=True, capture_output=True)
            push_on(server, 1000)
            server.end()
            lines = log.read_bytes().split(b"\n")
            whole = []
            for line in lines:
                with contextlib.suppress(ValueError):
                    whole.append(json.loads(line))
            torn = len([line for line in lines if line]) - len(whole)
            demand(log.stat().st_size > full, "nothing was written when there was room again")
            demand(torn <= 1, f"{torn} lines are torn or glued to others")
            return f"{full} bytes until it was full, {len(whole)} whole lines, {torn} torn"
    finally:
        if not mounted.returncode:
            subprocess.run(["umount", str(folder)], capture_output=True)
        folder.rmdir()


@attack("output-unread", seconds=60)
def output_unread(victim, random, scale):
    """`--log -` into a pipe whose reader stops: pushes are answered, and SIGTERM works."""
    pushes = max(2000, int(20_000 * scale))
    with Unread("--log", "-") as server:
        began = time.monotonic()
        try:
            slowest = push_on(server, pushes)
        except (OSError, AssertionError) as error:
            raise Failure(f"a push was not answered while the log was not read: {error!r}") from error
        told = f"{pushes} pushes in {time.monotonic() - began:.1f} s, slowest hundred {slowest * 1000:.0f} ms"
        return f"{told}, {server.end()}"


@attack("error-unread", seconds=60)
def error_unread(victim, random, scale):
    """`--verbose` into a pipe whose reader stops."""
    read, write = os.pipe()
    try:
        with Victim("--verbose") as server:
            server.token_text = server.token()
            command = list(server.process.args)
            server.end()
            # The same once more, with a pipe in place of the file that standard error is there.
            server.process.stdout.close()
            server.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=write)
            server._wait_until_ready()
            slowest = 0.0
            for _ in range(max(10, int(50 * scale))):
                with wire.Connection(server) as connection:
                    for _ in range(30):
                        began = time.monotonic()
                        stream = connection.request(wire.push(server.token_text, PATH, apns_priority="7"), BODY)
                        demand(connection.answer(stream)[0], "a bad push was not answered")
                        slowest = max(slowest, time.monotonic() - began)
            return f"slowest push {slowest * 1000:.0f} ms, {server.end()}"
    except (OSError, AssertionError, wire.Closed) as error:
        raise Failure(f"a push was not answered while the messages were not read: {error!r}") from error
    finally:
        os.close(read)
        os.close(write)


@attack("fifo", seconds=60)
def fifo(victim, random, scale):
    """A log that is a FIFO without a reader: the server says no at once, or serves."""
    folder = tempfile.TemporaryDirectory(prefix="mock-apns-fifo-")
    path = pathlib.Path(folder.name) / "log"
    os.mkfifo(path)
    with folder:
        server = Victim("--log", str(path))
        try:
            with server:
                slowest = push_on(server, max(500, int(5000 * scale)))
                ended = server.end()
        except AssertionError as error:
            demand(server.exit_code == 69 or "69" in str(error), f"did not start, with code {server.process.poll()}")
            return "refused with 69"
    return f"slowest hundred {slowest * 1000:.0f} ms, {ended}"
