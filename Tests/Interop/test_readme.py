"""The README and the articles, tried: every command in the README is run, its tables are compared with the sources and
the server, and every scenario in any of them has to be one.

A block of the README has a mark in a comment before it:

- `run`: a transcript, `$ ` before each command. All transcripts are one shell session; what a command prints is
  compared, but for ids, times and whatever stands where the README has an ellipsis.
- `file NAME`: a file that the transcripts find in their folder.
- `serve`: each line starts a server, which has to get ready and to end well.
- `scenario`: a scenario without a mistake; `scenario NAME`: that of the library, to the letter.
- `ready line`: compared with the server's own.
- `not run: REASON`.

The README's ports are replaced by free ones. In the articles every block of JSON is a scenario.
"""

import json
import os
import pathlib
import queue
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import threading
import unittest

from server import EXECUTABLE, ROOT, START_LIMIT, STOP_LIMIT, Server

README = (ROOT / "README.md").read_text()
CORE = ROOT / "Sources/MockAPNSCore"
ARTICLES = sorted((ROOT / "Sources/MockAPNS/MockAPNS.docc").glob("*.md"))
BLOCK = re.compile(
    r"(?:<!-- (?P<mark>[^\n]*) -->\n)?```(?P<language>\w+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE
)
BLOCKS = [match.groupdict() for match in BLOCK.finditer(README)]


def blocks(mark):
    return [block["text"] for block in BLOCKS if block["mark"] == mark]


def named_blocks(kind):
    """The blocks with a mark of that kind and a name: name -> text."""
    marked = [(block["mark"] or "", block["text"]) for block in BLOCKS]
    return {mark.split(" ", 1)[1]: text for mark, text in marked if mark.startswith(f"{kind} ")}


def section(title):
    return re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", README, re.DOTALL | re.MULTILINE).group(1)


def rows(text, heading):
    """The cells of the table whose first column has that heading, without its two first lines."""
    lines = text[text.index(f"| {heading} |"):].splitlines()
    table = lines[:next((i for i, line in enumerate(lines) if not line.startswith("|")), len(lines))]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def names(cells):
    """What stands in backquotes in these cells."""
    return re.findall(r"`([^`]+)`", " ".join(cells))


def transcript(text):
    """The commands of a transcript, each with the output that is shown after it."""
    steps = []
    for line in text.splitlines():
        if line.startswith("$ "):
            steps.append(([line[2:]], []))
        elif not steps[-1][1] and steps[-1][0][-1].endswith("\\"):
            steps[-1][0].append(line)
        else:
            steps[-1][1].append(line)
    return [("\n".join(command), "\n".join(output)) for command, output in steps]


def masked(text):
    """Output without what differs from run to run."""
    text = re.sub(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", "ID", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "TIME", text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def stand_in(folder):
    """Makes the folder look like a clone in which everything has been built. Returns the environment for it."""
    release = folder / ".build/release"
    release.mkdir(parents=True)
    (release / "mock-apns").symlink_to(EXECUTABLE)
    shutil.copy(ROOT / "Makefile", folder)
    shutil.copytree(ROOT / ".ci", folder / ".ci")
    shutil.copytree(ROOT / "scenarios", folder / "scenarios")
    for name, text in named_blocks("file").items():
        (folder / name).write_text(text)
    # What `make run` builds is there already.
    swift = folder / "bin/swift"
    swift.parent.mkdir()
    swift.write_text("#!/bin/sh\n")
    swift.chmod(swift.stat().st_mode | stat.S_IXUSR)
    # A make that was started by make would say more.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    inherited.pop("MOCK_APNS_OPTIONS", None)
    return {**inherited, "PATH": f"{swift.parent}:{os.environ['PATH']}", "TMPDIR": str(folder)}


class Commands(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-readme-")))
        self.environment = stand_in(self.folder)

    def test_every_block_has_a_mark(self):
        for block in BLOCKS:
            with self.subTest(block["text"][:60]):
                mark = block["mark"] or ""
                self.assertRegex(mark, r"^(run|serve|scenario|ready line|(not run:|file|scenario) .+)$")
        self.assertTrue(blocks("run") and blocks("serve"))

    def test_transcripts(self):
        with Server(certs=self.folder / "certs") as server:
            admin = server.admin.rpartition(":")[2]
            steps = [step for text in blocks("run") for step in transcript(text)]
            script = ""
            for number, (command, _) in enumerate(steps):
                command = command.replace(":2197/", f":{server.port}/").replace(":2198/", f":{admin}/")
                script += f"{command}\nprintf '\\n@@{number} %d@@\\n' $?\n"
            done = subprocess.run(
                ["bash", "-c", script], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
            )
            printed = re.findall(r"(.*?)\n@@\d+ (\d+)@@\n", done.stdout, re.DOTALL)
            self.assertEqual(len(printed), len(steps), done.stdout)
            for (command, expected), (output, code) in zip(steps, printed):
                with self.subTest(command):
                    output = masked(output).replace(f":{server.port}", ":2197").replace(f":{admin}", ":2198")
                    self.assertEqual(code, "0", output)
                    pattern = ".*?".join(re.escape(part) for part in masked(expected).split("…"))
                    if not re.fullmatch(pattern, output, re.DOTALL):
                        self.fail(f"the README shows\n{expected}\nbut it printed\n{output}")

    def test_servers(self):
        for line in "".join(blocks("serve")).splitlines():
            with self.subTest(line):
                for file in re.findall(r"--trust-key ([^: ]+):", line):
                    (self.folder / "keys").mkdir(exist_ok=True)
                    made = subprocess.run([EXECUTABLE, "token", "--certs", str(self.folder / "keys")],
                                          capture_output=True, timeout=20)
                    self.assertEqual(made.returncode, 0, made.stderr)
                    shutil.copy(self.folder / "keys/AuthKey_ABC123DEFG.p8", self.folder / file)
                self.serve(re.sub(r'"$', ' --port 0 --admin-port 0"', line))

    def serve(self, command):
        errors = self.folder / "stderr.txt"
        with open(errors, "wb") as stderr:
            process = subprocess.Popen(
                ["bash", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=stderr, start_new_session=True,
            )
        lines = queue.Queue()
        reader = threading.Thread(target=lambda: lines.put(process.stdout.readline()), daemon=True)
        reader.start()
        try:
            line = lines.get(timeout=START_LIMIT)
            self.assertIn(b'"event":"ready"', line, errors.read_text())
            os.kill(json.loads(line)["pid"], signal.SIGTERM)
            self.assertEqual(process.wait(STOP_LIMIT), 0, errors.read_text())
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            reader.join(5)
            process.stdout.close()


class Tables(unittest.TestCase):
    def source(self, name):
        return next(CORE.rglob(name)).read_text()

    def reasons(self):
        """The table of Reason.swift: case -> (name, status)."""
        found = re.findall(r'case \.(\w+): \("(\w+)", (\d+)\)', self.source("Reason.swift"))
        return {case: (name, status) for case, name, status in found}

    def test_checks(self):
        text = section("The checks, in their order")
        table = rows(text, "check")
        order = re.findall(r"^    case (\w+)$", self.source("Check.swift"), re.MULTILINE)
        self.assertGreater(len(order), 20)
        self.assertEqual([name for row in table for name in names(row[:1])], order)
        status = dict(self.reasons().values())
        shown = [(row[1], row[2]) for row in table if row[1]]
        for reason, code in shown:
            with self.subTest(reason):
                self.assertEqual(code, status.get(reason))

        configured = dict(re.findall(r"var (\w+) = Reason\.(\w+)", self.source("GatewayConfiguration.swift")))
        given = set()
        for file in CORE.rglob("*.swift"):
            # A reason by its name, or one that is configured; what is neither is passed on from another place.
            for case in re.findall(r"Refusal\(\s*(?:\w*\.)*(\w+),", file.read_text()):
                case = configured.get(case, case)
                if case in self.reasons():
                    given.add(self.reasons()[case][0])
        self.assertEqual({reason for reason, _ in shown}, given, "in the table, and what a check can give")
        others = re.search(r"^Given by no check, [^:]*: (.*)\.$", text, re.MULTILINE).group(1)
        others = {re.match(r"\w+", word).group() for word in others.split(", ")}
        self.assertEqual(others, set(status) - given)

    def test_record(self):
        text = section("The request log")
        members = set(names([row[0] for row in rows(text, "member")]))
        filters = re.search(r"^Filters are parameters of the URL: (.*?);", text, re.MULTILINE).group(1)
        cases = re.findall(r"^    case ((?:\w+, )*\w+)$", self.source("RequestField.swift"), re.MULTILINE)
        self.assertEqual(names([filters]), [name for line in cases for name in line.split(", ")])
        with Server("--log", "LOG") as server:
            command = ["curl", "--silent", "--cacert", server.authority, "--http2", "--data", "x", f"{server.url}/"]
            subprocess.run(command, check=True, capture_output=True, timeout=20)
            record = server.records()[0]
            self.assertEqual(members, set(record) | {"payloadBase64"})
            for row in rows(text, "call"):
                for method, path in re.findall(r"`(GET|DELETE) ([^`{]+)`", row[0]):
                    with self.subTest(f"{method} {path}"):
                        command = ["curl", "--silent", "--fail", "-X", method, server.admin + path]
                        # A stream has no end, so curl gives up on it: 28.
                        is_stream = path.endswith("/events")
                        done = subprocess.run(
                            command + (["--max-time", "1"] if is_stream else []), capture_output=True, timeout=20)
                        self.assertEqual(done.returncode, 28 if is_stream else 0, done.stdout)

    def test_ready_line(self):
        shown = [json.loads(text) for text in blocks("ready line")]
        with Server() as server:
            self.assertEqual([list(line) for line in shown], [list(server.ready)])

    def test_commands_and_options(self):
        text = section("Commands and options")
        told = subprocess.run([EXECUTABLE, "--help"], check=True, capture_output=True, text=True, timeout=20).stdout
        commands = re.findall(r"^  (\w+)  ", told.partition("SUBCOMMANDS:")[2], re.MULTILINE)
        self.assertEqual(names([row[0] for row in rows(text, "command")]), [f"mock-apns {name}" for name in commands])
        for command in commands:
            told = subprocess.run([EXECUTABLE, command, "--help"], capture_output=True, text=True, timeout=20).stdout
            options = set(re.findall(r"^  (--[a-z-]+)", told, re.MULTILINE)) - {"--help", "--version"}
            if command == "serve":
                self.assertEqual(set(names([row[0] for row in rows(text, "option of `serve` and `exec`")])), options)
            else:
                if command == "exec":
                    options -= set(names([row[0] for row in rows(text, "option of `serve` and `exec`")]))
                row = next(row for row in rows(text, "command") if row[0] == f"`mock-apns {command}`")
                shown = {word for name in names(row[1:]) for word in re.findall(r"--[a-z-]+", name)}
                self.assertLessEqual(shown, options)

    def test_variables(self):
        shown = set(names([row[0] for row in rows(section("Asserting"), "variable")]))
        command = [EXECUTABLE, "exec", "--quiet", "--admin-token", "x", "--certs", str(Server._certs()), "--", "env"]
        told = subprocess.run(command, check=True, capture_output=True, text=True, timeout=20,
                              env={"PATH": os.environ["PATH"]})
        self.assertEqual(set(re.findall(r"^(\w+)=", told.stdout, re.MULTILINE)) - {"PATH"}, shown)

    def test_make_targets(self):
        targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
        commands = names([re.sub(r"^```.*?^```$", "", README, flags=re.DOTALL | re.MULTILINE)])
        commands += [block["text"] for block in BLOCKS]
        used = {target for command in commands for target in re.findall(r"^make ([a-z-]+)", command, re.MULTILINE)}
        self.assertLessEqual(used, targets)
        self.assertIn("run", used)

    def test_links_to_files(self):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", README):
            with self.subTest(target):
                self.assertTrue((ROOT / target).exists())

    def test_links_to_sections(self):
        titles = re.findall(r"^##+ (.*)$", README, re.MULTILINE)
        anchors = {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}
        self.assertLessEqual(set(re.findall(r"\]\(#([^)]+)\)", README)), anchors)


class Scenarios(unittest.TestCase):
    def assert_no_mistakes(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(text)
            file.flush()
            done = subprocess.run([EXECUTABLE, "check", file.name], capture_output=True, text=True, timeout=20)
            self.assertEqual((done.returncode, done.stderr), (0, ""), text)

    def test_of_the_readme(self):
        self.assertTrue(blocks("scenario") and named_blocks("scenario"))
        for text in blocks("scenario"):
            self.assert_no_mistakes(text)
        for name, text in named_blocks("scenario").items():
            self.assertEqual(text, (ROOT / "scenarios" / name).read_text())

    def test_of_the_articles(self):
        found = [(article.name, block["text"]) for article in ARTICLES
                 for block in BLOCK.finditer(article.read_text()) if block["language"] == "json"]
        self.assertGreater(len(found), 10)
        for name, text in found:
            with self.subTest(name):
                self.assert_no_mistakes(text)


if __name__ == "__main__":
    unittest.main()
