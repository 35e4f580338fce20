"""`--log`: torn lines, readers that do not read, full disks, rotation, and what is told of lines that are lost."""

import json
import math
import os
import pathlib
import re
import resource
import select
import signal
import stat
import statistics
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request
import xml.etree.ElementTree as XML

import wire
from server import EXECUTABLE, PATIENCE, Server, device, shortest, until

ALICE = device(31)
BODY = json.dumps({"aps": {"alert": "x" * 2000}}).encode()
# Seconds that one push may take. A log waits a second for its reader, once; the rest is for a busy machine. Were each line
# waited for, no push would take less than USUAL.
LONGEST, USUAL = 30.0, 1.0


class OwnServer(Server):
    """A server whose standard output is not read beyond the ready line, unless a test does."""

    def __init__(self, *options, prefix=(), together=False, **more):
        super().__init__(*options, **more)
        self.prefix, self.together = list(prefix), together

    def __enter__(self):
        command = [*self.prefix, EXECUTABLE, "serve", "--port", "0", "--admin-port", "0", "--certs", str(self.certs)]
        command += [str(self.log) if option == "LOG" else option for option in self.options]
        with open(self.stderr_path, "wb") as errors:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                            stderr=subprocess.STDOUT if self.together else errors)
        self.drain = threading.Thread(target=lambda: None)
        self.drain.start()
        try:
            self.find()
        except BaseException:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            raise
        return self

    def find(self):
        # Byte by byte, so that what comes after it stays in the pipe.
        line, deadline = b"", time.monotonic() + PATIENCE
        while not (line.endswith(b"\n") and b'"ready"' in line):
            if line.endswith(b"\n"):
                line = b""
            assert select.select([self.process.stdout], [], [], deadline - time.monotonic())[0], self.stderr()
            byte = os.read(self.process.stdout.fileno(), 1)
            assert byte, self.stderr()
            line += byte
        self.ready = json.loads(line)
        self.port = int(self.ready["apns"].rsplit(":", 1)[1])
        self.admin, self.authority = self.ready["admin"], self.ready["certificateAuthority"]

    def lost(self):
        return self.get("/api/v1/summary")["log"]["writeErrors"]


def strictly(text):
    """Reads JSON as a strict reader does: text that is Unicode, and numbers that a double holds."""
    def number(digits):
        value = float(digits)
        assert math.isfinite(value), digits
        return value

    def whole(digits):
        number(digits)
        return int(digits)

    value = json.loads(text, parse_float=number, parse_int=whole)
    json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


class Pusher:
    """A provider that sends one push after the other, and how long the slowest took."""

    def __init__(self, server):
        self.connection, self.token, self.seconds, self.ids = wire.Connection(server), server.token(), [], []

    def push(self, count=1, body=BODY):
        for _ in range(count):
            begun = time.monotonic()
            stream = self.connection.request(wire.push(self.token, "/3/device/" + ALICE), body)
            headers, _, _ = self.connection.answer(stream)
            self.seconds.append(time.monotonic() - begun)
            headers = dict(headers)
            assert headers[":status"] == "200", headers
            self.ids.append(headers["apns-id"])

    def check_speed(self):
        assert max(self.seconds) < LONGEST, f"the slowest push took {max(self.seconds):.3f} s"
        assert statistics.median(self.seconds) < USUAL, f"the median is {statistics.median(self.seconds):.3f} s"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()


def parsed(lines):
    return [json.loads(line) for line in lines if line.strip()]


def ids(lines):
    return [line["apnsID"] for line in lines if line["event"] == "request"]


class Log(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-log-")))
        self.file = self.folder / "log.jsonl"
        self.scenario = self.folder / "scenario.json"
        self.scenario.write_text(json.dumps({"expect": [{"name": "one push", "requests": {"status": 200}, "count": 1}]}))

    def verify(self, log=None, *options):
        return subprocess.run([EXECUTABLE, "verify", "--log", str(log or self.file), *options, str(self.scenario)],
                              capture_output=True, text=True, timeout=PATIENCE)

    def until(self, condition, what):
        until(condition, lambda: what)

    # Torn lines

    def test_a_torn_line_costs_itself(self):
        torn = '{"event":"request","sequence":1,"time":"2026-11-21T10:00:00.0'
        self.file.write_text(torn)
        with Server("--log", str(self.file)) as server, Pusher(server) as provider:
            provider.push()
        first, *rest = self.file.read_text().splitlines()
        self.assertEqual(first, torn)
        self.assertEqual([line["event"] for line in parsed(rest)][:3], ["scenario", "connection", "request"])
        done = self.verify()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Line 1 of the log is truncated; it was skipped.", done.stderr)

    def test_every_strict_reader_of_json_takes_every_line(self):
        """Half of a surrogate pair and numbers beyond 64-bit floating point are JSON, and many readers refuse them."""
        bodies = [
            r'{"aps":{"alert":{"title":"Game \ud83d","body":"Your turn"}}}', r'{"a":["\ude00",{"\ud83d":1}]}',
            '{"aps":{"badge":1},"score":1e999}', '{"a":' + "9" * 400 + "}", r'{"aps":{"badge":1},"a":"\ud83d\ude00","b":1e300}',
        ]
        with OwnServer("--log", "LOG") as server, Pusher(server) as provider:
            for body in bodies:
                provider.push(1, body.encode())
            texts = server.log.read_text(encoding="utf-8").splitlines()
            for path in ("/api/v1/requests", "/api/v1/devices", "/api/v1/lint"):
                with urllib.request.urlopen(server.admin + path, timeout=PATIENCE) as answer:
                    texts.append(answer.read().decode())
            findings = server.get("/api/v1/lint")["findings"]
            records = [strictly(text) for text in texts if text.startswith('{"event":"request"')]
            for text in texts:
                strictly(text)
        told = [(record["payload"], record["payloadText"]) for record in records]
        self.assertEqual(told, [(None, body) for body in bodies[:4]] + [(json.loads(bodies[4]), None)])
        rules = {(each["rule"], each["sequence"]) for each in findings}
        self.assertLessEqual(
            {("unpaired-surrogate", 1), ("unpaired-surrogate", 2), ("number-out-of-range", 3), ("number-out-of-range", 4)}, rules)
        self.assertFalse({"unpaired-surrogate", "number-out-of-range", "payload-not-json"} & {rule for rule, number in rules if number == 5})

    def test_complete_logs_get_no_empty_lines(self):
        for _ in range(2):
            with Server("--log", str(self.file)):
                pass
        self.assertNotIn("\n\n", self.file.read_text())

    def test_kills_under_load_lose_no_answered_push(self):
        answered = []
        for _ in range(3):
            with OwnServer("--log", str(self.file)) as server:
                with Pusher(server) as provider:
                    killer = threading.Timer(0.3, server.process.kill)
                    killer.start()
                    try:
                        while True:
                            provider.push()
                    except (wire.Closed, OSError):
                        pass
                    killer.join()
                answered += provider.ids
                server.exit_code = 0
                server.process.wait(PATIENCE)
            with open(self.file, "ab") as file:
                file.write(b'{"event":"request","seq')  # as if it had been killed while it wrote
        with Server("--log", str(self.file)) as server, Pusher(server) as provider:
            provider.push()
        answered += provider.ids
        lines, torn = [], 0
        for line in self.file.read_text().splitlines():
            try:
                lines.append(json.loads(line))
            except ValueError:
                torn += 1
        self.assertEqual(torn, 3)
        self.assertGreater(len(answered), 10)
        self.assertLessEqual(set(answered), set(ids(lines)))
        done = self.verify()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("3 lines of the log are truncated", done.stderr)
        self.assertIn("The log holds 4 runs; the last one was judged.", done.stderr)

    # Readers that do not read

    def test_standard_output_that_is_not_read(self):
        with OwnServer("--log", "-") as server:
            output = server.process.stdout
            with Pusher(server) as provider:
                self.until(lambda: provider.push(20) or server.lost() > 20, "no line was lost")
                provider.push(100)
                provider.check_speed()
                lost = server.lost()
                self.assertGreater(lost, 100)
                with urllib.request.urlopen(server.admin + "/metrics", timeout=PATIENCE) as answer:
                    self.assertIn(f"mock_apns_log_write_errors_total {lost}\n", answer.read().decode())
                # It is read again: what follows is there, after a line that says how many are missing.
                os.set_blocking(output.fileno(), False)
                held = output.read()
                provider.push(5)
                self.assertEqual(server.lost(), lost)
                held += output.read()
                lines = parsed(held.split(b"\n"))
                count = len(ids(lines))
                self.assertEqual(ids(lines), provider.ids[:count - 5] + provider.ids[-5:])
                # A line so short may have found room before it was read.
                gaps = [line["lines"] for line in lines if line["event"] == "log" and line["state"] == "lost"]
                self.assertEqual(sum(gaps), lost)
                self.assertEqual(lost, len(provider.ids) - count)
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(PATIENCE), 0)
            said = server.stderr()
            self.assertEqual(said.count("The log cannot be written to standard output (its reader does not read)"), 1)
            self.assertIn(f"{lost} lines could not be written to the log.", said)
            self.assertRegex(said, rf"it lacks {lost} lines|lacks {lost} lines that could not be written")

    def test_unread_output_does_not_hold_up_the_end(self):
        self.assertLess(shortest(10, (self.end_unread() for _ in range(3))), 10)

    def end_unread(self):
        """How long the end takes of a server whose output is not read."""
        with OwnServer("--log", "-", "--verbose", together=True) as server:
            with Pusher(server) as provider:
                self.until(lambda: provider.push(20) or server.lost() > 20, "no line was lost")
                provider.check_speed()
            begun = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(PATIENCE), 0)
            return time.monotonic() - begun

    def test_departing_readers_do_not_end_the_server(self):
        with OwnServer("--log", "-") as server, Pusher(server) as provider:
            provider.push()
            server.process.stdout.close()
            provider.push(3)
            self.assertEqual(server.lost(), 3)
            server.until_said("(it is not read)")

    def test_a_fifo_without_a_reader(self):
        os.mkfifo(self.file)
        with Server("--log", str(self.file)) as server:
            # It says so after it is ready.
            server.until_said(f"The log cannot be written to {self.file} (it is not read)")
            with Pusher(server) as provider:
                provider.push(3)
                lost = server.get("/api/v1/summary")["log"]["writeErrors"]
                self.assertEqual(lost, 5)  # the start, the connection, the pushes
                # A reader comes.
                reader = os.open(self.file, os.O_RDONLY | os.O_NONBLOCK)
                provider.push(2)
                lines = parsed(os.read(reader, 1 << 20).split(b"\n"))
                self.assertEqual([line["event"] for line in lines], ["log", "request", "request"])
                self.assertEqual((lines[0]["state"], lines[0]["lines"]), ("lost", lost))
                # It goes away, and another one comes.
                os.close(reader)
                provider.push(2)
                reader = os.open(self.file, os.O_RDONLY | os.O_NONBLOCK)
                provider.push()
                lines = parsed(os.read(reader, 1 << 20).split(b"\n"))
                self.assertEqual([line["event"] for line in lines], ["log", "request"])
                self.assertEqual(ids(lines), provider.ids[-1:])
                self.assertEqual(lines[0]["lines"], 2)
                provider.check_speed()
                os.close(reader)
        part = self.folder / "part.jsonl"
        part.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
        done = self.verify(part)
        self.assertEqual(done.returncode, 1)
        self.assertIn("unknown: the run started in another file", done.stderr)

    # Full disks

    def check_full(self, server, log, let_go):
        """That a log goes on in whole lines once there is room again; `let_go` makes room."""
        with Pusher(server) as provider:
            self.until(lambda: provider.push(20) or server.lost() > 20, "the file took everything")
            provider.check_speed()
            lost = server.lost()
            let_go()
            provider.push(5)
            self.assertEqual(server.lost(), lost)
            # It is told when nothing was lost for a second.
            told = f"again; it lacks {lost} lines."
            self.until(lambda: provider.push(body=b"{}") or told in server.stderr(), "it was not told")
            lines = parsed(log.read_text().splitlines())
            self.assertEqual(sum(line["lines"] for line in lines if line["event"] == "log"), lost)
            known = ids(lines)
            self.assertEqual(len(provider.ids), len(known) + lost)
            kept = [id for id in provider.ids if id in set(known)]
            self.assertEqual(known, kept)
            self.assertEqual(server.stderr().count("The log cannot be written to"), 1)
        return lost

    def test_a_file_that_may_not_grow(self):
        with OwnServer("--log", str(self.file)) as server:
            pid = server.process.pid
            hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)[1]
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (100_000, hard))
            lost = self.check_full(
                server, self.file, lambda: resource.prlimit(pid, resource.RLIMIT_FSIZE, (hard, hard)))
        done = self.verify()
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, rf"unknown: the log lacks {lost} requests")

    def test_a_disk_that_is_full_for_a_while(self):
        probe = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", str(self.folder)], capture_output=True)
        if probe.returncode != 0:
            self.skipTest("a file system of its own needs root: " + probe.stderr.decode().strip())
        disk = self.folder / "disk"
        disk.mkdir()
        script = 'mount -t tmpfs -o size=200k none "$0" && head -c 100000 /dev/zero >"$0/other" && exec "$@"'
        prefix = ["unshare", "-m", "sh", "-c", script, str(disk)]
        with OwnServer("--log", str(disk / "log.jsonl"), prefix=prefix) as server:
            inside = pathlib.Path(f"/proc/{server.process.pid}/root{disk}")
            self.check_full(server, inside / "log.jsonl", (inside / "other").unlink)

    # Rotation

    def rotate(self, process, number):
        """Gives the log another name, as a rotation does, and waits for the new file."""
        old = self.folder / f"log.{number}"
        self.file.rename(old)
        process.send_signal(signal.SIGUSR1)
        self.until(self.file.exists, "the file was not opened again")
        return old

    def test_rotation_under_load_loses_and_tears_nothing(self):
        with Server("--log", str(self.file), "--threads", "2") as server:
            is_over, providers = threading.Event(), [Pusher(server) for _ in range(3)]

            def load(provider):
                while not is_over.is_set():
                    provider.push()

            threads = [threading.Thread(target=load, args=(provider,)) for provider in providers]
            for thread in threads:
                thread.start()
            files = []
            try:
                for number in range(5):
                    count = len(providers[0].ids)
                    self.until(lambda: len(providers[0].ids) > count + 10, "no pushes")
                    files.append(self.rotate(server.process, number))
            finally:
                is_over.set()
                for thread in threads:
                    thread.join(PATIENCE)
            for provider in providers:
                provider.connection.close()
        parts = [parsed(file.read_text().splitlines()) for file in [*files, self.file]]
        sequences = [line["sequence"] for part in parts for line in part if line["event"] == "request"]
        self.assertEqual(sequences, list(range(1, sum(len(provider.ids) for provider in providers) + 1)))
        for before, part in zip(parts, parts[1:]):
            self.assertEqual((part[0]["event"], part[0]["state"]), ("log", "reopened"))
            self.assertEqual(part[0]["seed"], parts[0][0]["seed"])
            last = [line["sequence"] for line in before if line["event"] == "request"][-1]
            self.assertEqual(part[0]["after"], last)
        for part in parts[1:]:
            self.assertEqual([line["event"] for line in part].count("log"), 1)
        # One alone cannot be judged, all together can.
        self.scenario.write_text(json.dumps({"expect": [
            {"requests": {"status": 200}, "count": len(sequences)}, {"connections": 3}]}))
        done = self.verify()
        self.assertEqual(done.returncode, 1)
        self.assertIn("The log continues a run that started in another file; judge them as one file.", done.stderr)
        self.assertEqual(done.stderr.count("unknown: the run started in another file"), 2)
        whole = self.folder / "whole"
        whole.write_bytes(b"".join(file.read_bytes() for file in [*files, self.file]))
        done = self.verify(whole)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_sigusr1_with_nothing_to_rotate(self):
        with Server() as server, Pusher(server) as provider:
            server.process.send_signal(signal.SIGUSR1)
            provider.push()
        with Server("--log", str(self.file)) as server, Pusher(server) as provider:
            server.process.send_signal(signal.SIGUSR1)
            server.until_said("was reopened")
            provider.push()
        self.assertEqual([line["event"] for line in parsed(self.file.read_text().splitlines())],
                         ["scenario", "connection", "request", "connection"])

    def test_a_file_that_cannot_be_opened_again(self):
        folder = self.folder / "logs"
        folder.mkdir()
        with Server("--log", str(folder / "log.jsonl")) as server, Pusher(server) as provider:
            folder.rename(self.folder / "elsewhere")
            server.process.send_signal(signal.SIGUSR1)
            server.until_said("cannot be reopened")
            provider.push()
            lines = parsed((self.folder / "elsewhere" / "log.jsonl").read_text().splitlines())
            self.assertEqual(ids(lines), provider.ids)

    # exec

    def exec(self, *words, log, options=(), **more):
        command = [EXECUTABLE, "exec", "--certs", str(Server._certs()), "--log", str(log), *options, "--", *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, **more)

    def test_exec_without_a_line_in_its_log(self):
        full = pathlib.Path("/dev/full")
        if not full.exists() or not stat.S_ISCHR(full.stat().st_mode):
            self.skipTest("there is no /dev/full")
        junit, report = self.folder / "report.xml", self.folder / "report.md"
        done = self.exec("true", log=full, options=["--junit", str(junit), "--report", str(report)])
        self.assertEqual(done.returncode, 69, done.stderr)
        sentence = r"Nothing could be written to the log /dev/full \(No space left on device\); it lacks 1 line\."
        self.assertRegex(done.stderr, "warning: " + sentence)
        root = XML.parse(junit).getroot()
        self.assertEqual(root.get("errors"), "1")
        self.assertRegex(next(root.iter("error")).text, sentence)
        self.assertRegex(report.read_text().replace("\\", ""), sentence)
        self.assertEqual(self.exec("sh", "-c", "exit 7", log=full).returncode, 7)
        os.mkfifo(self.file)
        self.assertEqual(self.exec("true", log=self.file).returncode, 69)

    def test_exec_with_a_part_of_its_log(self):
        junit, report = self.folder / "report.xml", self.folder / "report.md"
        script = 'T=$("$MOCK" token --certs "$MOCK_APNS_CERTS"); for i in 1 2 3 4 5; do curl -s --http2 -o /dev/null ' \
                 '-H "authorization: bearer $T" -H "apns-topic: $MOCK_APNS_TOPIC" -H "apns-push-type: alert" -d "{}" ' \
                 f'"$MOCK_APNS_URL/3/device/{ALICE}" || exit 9; done'
        # Other files that are written are short enough.
        length = 10 << 20
        with open(self.file, "wb") as file:
            file.seek(length - 1)
            file.write(b"\n")
        done = self.exec("sh", "-c", script, log=self.file, options=["--junit", str(junit), "--report", str(report)],
                         env={**os.environ, "MOCK": EXECUTABLE}, preexec_fn=lambda: resource.setrlimit(
                             resource.RLIMIT_FSIZE, (length + 3000, resource.RLIM_INFINITY)))
        self.assertEqual(done.returncode, 0, done.stderr)
        sentence = r"\d+ lines could not be written to the log .*log\.jsonl \(File too large\)\."
        self.assertRegex(done.stderr, "warning: " + sentence)
        self.assertRegex(next(XML.parse(junit).getroot().iter("system-out")).text, sentence)
        self.assertRegex(report.read_text().replace("\\", ""), sentence)

    def test_exec_keeps_sigusr1_for_its_log(self):
        script = 'trap "echo told" USR1; echo started; for i in $(seq 3000); do test -e "$0" && break; sleep 0.1; done; ' \
                 'sleep 0.2; echo done'
        marker = self.folder / "marker"
        process = subprocess.Popen([EXECUTABLE, "exec", "--certs", str(Server._certs()), "--log", str(self.file), "--",
                                    "sh", "-c", script, str(marker)], stdout=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "started\n")
        self.rotate(process, 0)
        marker.touch()
        self.assertEqual((process.communicate(timeout=PATIENCE)[0], process.returncode), ("done\n", 0))

    # Files that are no logs

    def test_a_file_without_a_run(self):
        for text in ("", "\n", "hello\n", "[1]\n", '{"some": "thing"}\n', '{"event":"weather"}\n', "# A title\n\nText\n"):
            with self.subTest(text):
                self.file.write_text(text)
                done = self.verify()
                self.assertEqual((done.returncode, done.stdout), (65, ""))
                self.assertRegex(done.stderr, re.escape(str(self.file)) + r":1:\d+: there is no run of a server in this log: ")


if __name__ == "__main__":
    unittest.main()
