"""`mock-apns exec` at a terminal: Control-C, Control-Z and `fg`, and who reads the terminal, as a shell's job has it."""

import json
import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from server import EXECUTABLE, PATIENCE, Server, until

JOB = pathlib.Path(__file__).with_name("job.py")
PAGER = """
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
sys.stdin.readline()
with open("/dev/tty") as terminal:
    print("paging", flush=True)
    print("key", terminal.readline().strip(), flush=True)
"""


class Job:
    """A pipeline that a shell runs on a terminal of its own; a context manager that leaves nothing of it."""

    def __init__(self, *commands):
        self.commands = commands

    def __enter__(self):
        self.terminal, theirs = pty.openpty()
        orders, self.orders = os.pipe()
        self.happenings, happenings = os.pipe()
        self.shell = subprocess.Popen(
            [sys.executable, str(JOB), str(orders), str(happenings), json.dumps(self.commands)], stdin=theirs,
            stdout=theirs, stderr=theirs, start_new_session=True, pass_fds=(orders, happenings))
        for descriptor in (theirs, orders, happenings):
            os.close(descriptor)
        self.screen = ""
        return self

    def __exit__(self, kind, error, trace):
        # The end of its terminal is the end of everything on it.
        for descriptor in (self.terminal, self.orders, self.happenings):
            os.close(descriptor)
        try:
            self.shell.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.shell.kill()
            self.shell.wait()

    def until(self, text):
        """Waits until the text is on the screen, after what was waited for before."""
        end = time.monotonic() + PATIENCE
        while text not in self.screen:
            if not select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"{text!r} does not come; the screen says {self.screen!r}")
            try:
                self.screen += os.read(self.terminal, 4096).decode(errors="replace")
            except OSError:
                raise AssertionError(f"all has ended without {text!r}; the screen says {self.screen!r}") from None
        self.screen = self.screen.partition(text)[2]

    def type(self, text):
        os.write(self.terminal, text.encode())

    def order(self, word):
        os.write(self.orders, f"{word}\n".encode())

    def happens(self):
        """What the shell sees next of its job."""
        if not select.select([self.happenings], [], [], PATIENCE)[0]:
            raise AssertionError("nothing happens to the job")
        return os.read(self.happenings, 4096).decode().strip()


def python(script):
    return [sys.executable, "-c", script]


def shell(script):
    return ["sh", "-c", script]


class Terminal(unittest.TestCase):
    def exec(self, *command):
        return [EXECUTABLE, "exec", "--quiet", "--certs", str(Server._certs()), "--", *command]

    def test_the_command_is_the_foreground(self):
        # It is started first, and given the terminal then.
        script = "import os, time\nwhile not os.tcgetpgrp(0) == os.getpgrp() == os.getpid(): time.sleep(0.01)\nprint('ours')"
        with Job(self.exec(*python(script))) as job:
            job.until("ours")
            self.assertEqual(job.happens(), "ended 0")

    def test_control_c_is_the_commands(self):
        with Job(self.exec(*shell("trap 'echo told; exit 3' INT; echo started; while :; do sleep 0.1; done"))) as job:
            job.until("started")
            job.type("\x03")
            job.until("told")
            self.assertEqual(job.happens(), "ended 3")

    def test_control_c_ends_commands_without_a_handler(self):
        with Job(self.exec(*shell("echo started; exec sleep 60"))) as job:
            job.until("started")
            job.type("\x03")
            self.assertEqual(job.happens(), "ended 130")

    def test_control_z_and_back_into_the_foreground(self):
        with Job(self.exec(*python("print('started'); print('got', input()); print('got', input())"))) as job:
            job.until("started")
            for word in ("one", "two"):
                job.type("\x1a")
                self.assertEqual(job.happens(), "stopped")
                job.order("fg")
                job.type(f"{word}\n")
                job.until(f"got {word}")
            self.assertEqual(job.happens(), "ended 0")

    def test_background_commands_run_until_they_need_the_terminal(self):
        pipe = self.enterContext(tempfile.TemporaryDirectory()) + "/pipe"
        os.mkfifo(pipe)
        writer = os.open(pipe, os.O_RDWR)
        self.addCleanup(os.close, writer)
        script = f"import os; print('started'); os.read(os.open({pipe!r}, os.O_RDONLY), 1); print('got', input())"
        with Job(self.exec(*python(script))) as job:
            job.until("started")
            job.type("\x1a")
            self.assertEqual(job.happens(), "stopped")
            job.order("bg")
            os.write(writer, b" ")
            self.assertEqual(job.happens(), "stopped")
            job.order("fg")
            job.type("one\n")
            job.until("got one")
            self.assertEqual(job.happens(), "ended 0")

    def test_the_terminal_is_read_behind_a_pipe(self):
        with Job(["echo", "x"], self.exec(*shell("read a </dev/tty; echo \"got $a\""))) as job:
            job.type("one\n")
            job.until("got one")
            self.assertEqual(job.happens(), "ended 0 0")

    def test_control_c_behind_a_pipe(self):
        for script in ("exec sleep 60", "read a </dev/tty"):
            # The first command has said all before Control-C, which is not for it.
            first, second = shell("trap '' INT; echo x"), shell(f"cat >/dev/null; echo started >/dev/tty; {script}")
            with Job(first, self.exec(*second)) as job:
                job.until("started")
                job.type("\x03")
                self.assertEqual(job.happens(), "ended 0 130")

    def test_a_pager_behind_it_keeps_the_terminal(self):
        with Job(self.exec(*shell("echo page; exec sleep 60")), python(PAGER)) as job:
            job.until("paging")
            job.type("\x1a")
            self.assertEqual(job.happens(), "stopped")
            job.order("fg")
            job.type("q\n")
            job.until("key q")
            job.type("\x03")
            self.assertEqual(job.happens(), "ended 130 0")

    # What the end of the terminal means for a server that does not read it

    def start_server(self, job, output):
        """Waits for its ready line, and returns that."""
        until(lambda: output.exists() and "\n" in output.read_text(), lambda: job.screen)
        return json.loads(output.read_text().splitlines()[0])

    def wait_for(self, condition):
        until(condition, lambda: "it did not come about")

    def serve(self, folder):
        certs, output = folder / "certs", folder / "output"
        command = f'"{EXECUTABLE}" serve --port 0 --admin-port 0 --certs "{certs}" >"{output}" 2>"{folder}/errors"'
        return command, certs, output

    def is_gone(self, pid):
        try:
            with open(f"/proc/{pid}/stat") as file:
                return file.read().rpartition(")")[2].split()[0] == "Z"
        except FileNotFoundError:
            return True

    def test_background_servers_end_with_their_terminal(self):
        with tempfile.TemporaryDirectory(prefix="mock-apns-") as name:
            command, _, output = self.serve(pathlib.Path(name))
            with Job(shell(f"{command} & wait")) as job:
                pid = self.start_server(job, output)["pid"]
            self.wait_for(lambda: self.is_gone(pid))

    def test_a_server_that_nohup_started_outlives_its_terminal(self):
        with tempfile.TemporaryDirectory(prefix="mock-apns-") as name:
            command, certs, output = self.serve(pathlib.Path(name))
            with Job(shell(f"nohup {command} & wait")) as job:
                pid = self.start_server(job, output)["pid"]
                (certs / "client.pem").unlink()
            try:
                # To read the certificates again is what SIGHUP is otherwise: what is missing is made.
                self.wait_for((certs / "client.pem").exists)
                self.assertFalse(self.is_gone(pid))
            finally:
                os.kill(pid, signal.SIGTERM)
                self.wait_for(lambda: self.is_gone(pid))

    def test_without_a_shell_control_z_does_nothing(self):
        # As in a container: the leader of the session is no shell's job.
        terminal, theirs = pty.openpty()
        script = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
        process = subprocess.Popen(
            [*python(script), *self.exec(*python("print('started'); print('got', input())"))], stdin=theirs,
            stdout=theirs, stderr=theirs, start_new_session=True)
        os.close(theirs)
        job = Job()
        job.terminal, job.screen = terminal, ""
        try:
            job.until("started")
            job.type("\x1a")
            job.until("^Z")
            job.type("one\n")
            job.until("got one")
            self.assertEqual(process.wait(PATIENCE), 0)
        finally:
            os.close(terminal)
            process.wait(PATIENCE)


if __name__ == "__main__":
    unittest.main()
