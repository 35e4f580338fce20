"""Containers without an engine (Linux): the entry point of the image runs in name spaces of its own, with the addresses,
ports and folders of a container. Nothing that a recipe says about them has to be translated.

As a command it is an engine for the stand-ins of `Tests/Testcontainers`: `containers.py IMAGE PORTS -- ARGUMENT...` prints
how the ports are published, and runs until standard input ends.
"""

import asyncio
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

from server import EXECUTABLE, PATIENCE, ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text()
ENTRYPOINT = json.loads(re.search(r"^ENTRYPOINT (.*)$", DOCKERFILE, re.MULTILINE)[1])
HEALTHCHECK = json.loads(re.search(r"^HEALTHCHECK .* CMD (.*)$", DOCKERFILE, re.MULTILINE)[1])
# Where the working folder of a job and /tmp are, in the container, too.
TMP = "/tmp"
# Who comes from outside does not come to 127.0.0.1.
ADDRESS = "127.0.0.2"
# The file system of this machine with the folders of a container; $FOLDER, which has them, becomes /tmp.
ROOT_FOLDER = f"""
ip link set lo up
mount -t tmpfs tmpfs "$FOLDER/root"
for path in /*; do
    if [ -L "$path" ]; then cp -P "$path" "$FOLDER/root"
    elif [ -d "$path" ]; then mkdir "$FOLDER/root$path"; [ "$path" = {TMP} ] || mount --rbind "$path" "$FOLDER/root$path"
    fi
done
bind() {{
    mkdir -p "$FOLDER/root$2"
    mount --bind "$1" "$FOLDER/root$2"
}}
mount --bind "$EXECUTABLE" "$FOLDER/bin/mock-apns"
mount --bind "$ROOT/.container/entrypoint" "$FOLDER/bin/{ENTRYPOINT[0]}"
mount --bind "$FOLDER/hosts" "$FOLDER/root/etc/hosts"
bind "$FOLDER/certs" /certs
bind "$FOLDER/reports" /reports
bind "$ROOT/scenarios" /scenarios
mount --rbind "$FOLDER" "$FOLDER/root{TMP}"
exec chroot "$FOLDER/root" "$@"
"""
UNSHARE = ["unshare", "-Urnm", "sh", "-euc", ROOT_FOLDER, "sh"]


def allowed():
    """Whether there may be containers."""
    if not shutil.which("unshare") or not shutil.which("ip"):
        return False
    return subprocess.run(["unshare", "-Urnm", "ip", "link", "set", "lo", "up"], capture_output=True).returncode == 0


class Container:
    """A container of the image, called `mock-apns`; a context manager that waits until the server is ready. `folder` is /tmp
    inside, and `folder/bin` in the PATH."""

    def __init__(self, *arguments, folder, variables=None):
        self.arguments, self.folder = arguments, pathlib.Path(folder)
        self.path = f"{TMP}/bin:{os.environ['PATH']}"
        self.variables = {"PATH": self.path, **(variables or {})}
        self.forward = None

    def __enter__(self):
        for name in ("bin", "certs", "reports", "root"):
            (self.folder / name).mkdir(exist_ok=True)
        for name in ("mock-apns", ENTRYPOINT[0]):
            (self.folder / "bin" / name).touch()
        (self.folder / "hosts").write_text(f"127.0.0.1 localhost\n{ADDRESS} mock-apns\n")
        places = {"PATH": os.environ["PATH"], "FOLDER": str(self.folder), "EXECUTABLE": EXECUTABLE, "ROOT": str(ROOT)}
        variables = [f"{name}={value}" for name, value in self.variables.items()]
        with open(self.folder / "stderr.txt", "w") as said:
            self.process = subprocess.Popen(
                [*UNSHARE, "/usr/bin/env", "-i", "--chdir=/", *variables, *ENTRYPOINT, *self.arguments], env=places,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said, text=True)
        line = self.process.stdout.readline()
        if '"event":"ready"' not in line:
            self.process.kill()
            self.process.communicate()
            raise AssertionError(line + self.said())
        return self

    def said(self):
        return (self.folder / "stderr.txt").read_text()

    def __exit__(self, kind, error, trace):
        if self.forward:
            self.forward.terminate()
            self.forward.wait()
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=PATIENCE)
        assert kind or self.process.returncode == 0, self.said()

    def inside(self, *words):
        return ["nsenter", "-t", str(self.process.pid), "-U", "-n", "-m", "-r", "--preserve-credentials",
                "/usr/bin/env", "-i", *words]

    def run(self, *words, folder=TMP, **variables):
        """Runs a command in the same network and file system; returns its exit code and what it says."""
        environment = [f"{name}={value}" for name, value in {"PATH": self.path, **variables}.items()]
        command = self.inside(f"--chdir={folder}", *environment, *words)
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        return done.returncode, done.stdout + done.stderr

    def health(self):
        """Runs the health check of the image, as an engine does."""
        assert HEALTHCHECK[0] != "CMD-SHELL"
        return self.run(*HEALTHCHECK, folder="/", **self.variables)

    def publish(self, *ports):
        """Publishes ports under others of this machine; returns which."""
        sockets = {port: socket.create_server(("127.0.0.1", 0)) for port in ports}
        forwarded = [f"{each.fileno()}:{port}" for port, each in sockets.items()]
        # The sockets stay in the network in which they were made, the connections are made in the container's.
        self.forward = subprocess.Popen(
            ["nsenter", "-t", str(self.process.pid), "-U", "-n", "--preserve-credentials", sys.executable, __file__, "forward",
             *forwarded], pass_fds=[each.fileno() for each in sockets.values()])
        found = {port: each.getsockname()[1] for port, each in sockets.items()}
        for each in sockets.values():
            each.close()
        return found


async def forward(pairs):
    async def copy(reader, writer):
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    def to(port):
        async def connected(reader, writer):
            try:
                there = await asyncio.open_connection(ADDRESS, port)
            except OSError:
                writer.close()
                return
            await asyncio.gather(copy(reader, there[1]), copy(there[0], writer))

        return connected

    for number, port in pairs:
        await asyncio.start_server(to(port), sock=socket.socket(fileno=number))
    await asyncio.Event().wait()


def main():
    if sys.argv[1] == "forward":
        asyncio.run(forward([map(int, pair.split(":")) for pair in sys.argv[2:]]))
    image, ports, separator, *arguments = sys.argv[1:]
    assert (image, separator) == ("mock-apns", "--"), sys.argv
    with tempfile.TemporaryDirectory(prefix="mock-apns-container-") as folder, Container(*arguments, folder=folder) as container:
        published = container.publish(*map(int, ports.split(",")))
        print(" ".join(f"{inner}:{outer}" for inner, outer in published.items()), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
