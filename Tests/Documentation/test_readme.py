"""The README, CONTRIBUTING, the texts about folders and the articles, tried: every command in them is run, their tables and
lists are compared with the sources and the server, and every scenario in them has to be one.

A block has a mark in a comment before it:

- `run`: a transcript, `$ ` before each command. All transcripts of a text are one shell session with a server of its
  own; what a command prints is compared, but for ids, times and whatever stands where the text has an ellipsis.
- `file NAME`: a file that the transcripts of that text find in their folder.
- `exec`: a script that `mock-apns exec` runs with a device `alice`, and that has to end with 0 and without an error.
- `serve`: each line starts a server, which has to get ready and to end well.
- `scenario NAME`: that of the library, to the letter.
- `ready line`: compared with the server's own.
- `part of FILE`: the lines of a test file, in Swift too, which test_suites.py runs.
- `aioapns`: test_aioapns.py runs it.
- `driver FILE`: a driver of the folder Clients, to the letter; test_drivers.py plays stories with it.
- `probe`: one of those that are built in, to the letter; MockAPNSProbeTests compares them.
- `not run: REASON`.

Without a mark, a block of JSON is a scenario without a mistake, one of Swift is compiled (test_documentation.py), one of
Python is run (Clients/python/tests), and a plain text is only shown. The ports in the texts are replaced by free ones.
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

from copies import COPIES
from server import EXECUTABLE, PATIENCE, ROOT, Server
from texts import ARTICLES, CLIENTS, CONTRIBUTING, FOLDERS, README, TEXTS, masked, names, shows, transcript

CORE, MODEL = ROOT / "Sources/MockAPNSCore", ROOT / "Sources/MockAPNSModel"


def stand_in(folder):
    """Makes the folder look like a clone in which everything has been built. Returns the environment for it."""
    release = folder / ".build/release"
    release.mkdir(parents=True)
    (release / "mock-apns").symlink_to(EXECUTABLE)
    shutil.copy(ROOT / "Makefile", folder)
    shutil.copytree(ROOT / ".ci", folder / ".ci")
    shutil.copytree(ROOT / "scenarios", folder / "scenarios")
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
        for text in TEXTS:
            for block in text.all_blocks:
                with self.subTest(text.name, block=block["text"][:60]):
                    if block["mark"]:
                        self.assertRegex(block["mark"], r"^(run|exec|serve|ready line|aioapns|probe|(not run:|file|scenario|part of|driver) .+)$")
                    else:
                        self.assertIn(block["language"], ("json", "swift", "python", "text", ""))

    def session(self, text):
        """Runs the transcripts of a text as one shell session, beside a server that keeps its files in the folder."""
        for name, content in text.named_blocks("file").items():
            (self.folder / name).write_text(content)
        with Server(certs=self.folder / "certs") as server:
            admin = server.admin.rpartition(":")[2]
            steps = [step for block in text.blocks("run") for step in transcript(block)]
            script = ""
            for number, (command, _) in enumerate(steps):
                command = command.replace(":2197/", f":{server.port}/").replace(":2198", f":{admin}")
                script += f"{command}\nprintf '\\n@@{number} %d@@\\n' $?\n"
            done = subprocess.run(
                ["bash", "-c", script], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE,
            )
            printed = re.findall(r"(.*?)\n@@\d+ (\d+)@@\n", done.stdout, re.DOTALL)
            self.assertEqual(len(printed), len(steps), done.stdout)
            for (command, expected), (output, code) in zip(steps, printed):
                with self.subTest(text.name, command=command):
                    output = masked(output).replace(f":{server.port}", ":2197").replace(f":{admin}", ":2198")
                    self.assertEqual(code, "0", output)
                    if not shows(expected, output):
                        self.fail(f"{text.name} shows\n{expected}\nbut it printed\n{output}")

    def test_transcripts_of_the_readme(self):
        self.assertGreater(len(README.blocks("run")), 1)
        self.session(README)

    def test_scripts(self):
        scripts = [(text.name, script) for text in TEXTS for script in text.blocks("exec")]
        self.assertTrue(scripts)
        scenario = self.folder / "alice.json"
        scenario.write_text(json.dumps({"devices": [{"name": "alice", "token": "a" * 64}]}))
        command = [EXECUTABLE, "exec", "--quiet", "--certs", str(self.folder / "certs"), "--scenario", str(scenario)]
        for name, script in scripts:
            with self.subTest(name):
                done = subprocess.run(
                    [*command, "--", "sh", "-euc", script], cwd=self.folder, env=self.environment,
                    capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn('"error"', done.stdout)

    def test_servers(self):
        lines = [line for text in TEXTS for block in text.blocks("serve") for line in block.splitlines()]
        self.assertGreater(len(lines), 3)
        for line in lines:
            with self.subTest(line):
                for file in re.findall(r"--trust-key ([^: ]+):", line):
                    (self.folder / "keys").mkdir(exist_ok=True)
                    made = subprocess.run([EXECUTABLE, "token", "--certs", str(self.folder / "keys")],
                                          capture_output=True, timeout=PATIENCE)
                    self.assertEqual(made.returncode, 0, made.stderr)
                    shutil.copy(self.folder / "keys/AuthKey_ABC123DEFG.p8", self.folder / file)
                line = line if line.endswith('"') else f'{line} ARGS=""'
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
            line = lines.get(timeout=PATIENCE)
            self.assertIn(b'"event":"ready"', line, errors.read_text())
            os.kill(json.loads(line)["pid"], signal.SIGTERM)
            self.assertEqual(process.wait(PATIENCE), 0, errors.read_text())
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            reader.join(PATIENCE)
            process.stdout.close()


def session_of(article):
    return lambda self: self.session(article)


# A test for each article with transcripts.
for _name, _article in ARTICLES.items():
    if _article.blocks("run"):
        setattr(Commands, f"test_transcripts_of_{_name}", session_of(_article))


class Tables(unittest.TestCase):
    def source(self, name):
        return next(CORE.rglob(name)).read_text()

    def reasons(self):
        """The table of Reason.swift: case -> (name, status)."""
        text = (MODEL / "Reason.swift").read_text()
        names = dict(re.findall(r'case (\w+) = "(\w+)"', text))
        return {case: (names[case], status) for case, status in re.findall(r"case \.(\w+): \(\d+, (\d+), ", text)}

    def test_checks(self):
        article = ARTICLES["Checks"]
        table = article.rows("check")
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
        # A scenario refuses elsewhere in Gateway/; what it says is no check's. Calls about channels have their own checks.
        files = [file for folder in ("Authentication", "Checks") for file in (CORE / folder).glob("*.swift") if "CallCheck" not in file.name]
        files.append(CORE / "Gateway/Gateway+Delivery.swift")
        for file in files:
            # A reason by its name, or one that is configured; what is neither is passed on from another place.
            for case in re.findall(r"Rejection\(\s*(?:\w*\.)*(\w+),", file.read_text()):
                case = configured.get(case, case)
                if case in self.reasons():
                    given.add(self.reasons()[case][0])
        self.assertEqual({reason for reason, _ in shown}, given, "in the table, and what a check can give")
        others = re.search(r"^Reasons that no check returns, [^:]*: (.*)\.$", article.text, re.MULTILINE).group(1)
        others = {re.match(r"\w+", word).group() for word in others.split(", ")}
        # The checks on calls about broadcast channels have an article of their own.
        broadcast = set(re.findall(r"\b[A-Z]\w+", ARTICLES["Broadcast"].text)) & set(status)
        self.assertEqual(others, set(status) - given - (broadcast - others))

    def test_record(self):
        members = set(names([row[0] for row in ARTICLES["RequestRecords"].rows("member")]))
        with Server("--log", "LOG") as server:
            self.request(server)
            self.request(server, "/1/apps/com.example.app/all-channels")
            push, call = [set(server.get(f"/api/v1/requests/{number}")) for number in (1, 2)]
            self.assertLess(push, call)
            # Which only some records have, and `session` only in the log file.
            rare = {"payloadBase64", "replica", "replicaSequence", "retryAfter", "resetCode", "session", "relayed", "own", "agrees"}
            self.assertEqual(members, call | rare)

    def test_steps(self):
        """Scenarios names every key of a step, and every way of `hostile`."""
        article = ARTICLES["Scenarios"]
        schema = json.loads((ROOT / "scenarios/scenario.schema.json").read_text())["$defs"]
        step = schema["pushStep"]["properties"]
        outcomes = {re.match(r'`"(\w+)"', row[0]).group(1) for row in article.rows("outcome")}
        companions = set(names(row[0] for row in article.rows("key") if row[0].strip("`") in step))
        # `status` and `timestamp` are told beside `reject`.
        self.assertEqual(outcomes | companions | {"status", "timestamp"}, set(step) - {"$comment"})
        ways = re.search(r"^The names of `hostile` are (.*?)\. ", article.prose, re.MULTILINE | re.DOTALL).group(1)
        self.assertEqual(set(names([ways])), set(step["hostile"]["enum"]))

    def test_filters(self):
        line = re.search(r"^Filters are parameters of the URL: (.*?);", ARTICLES["AdminAPI"].text, re.MULTILINE)
        cases = re.findall(r"^        case (\w+)$", (MODEL / "RequestField.swift").read_text(), re.MULTILINE)
        self.assertEqual(names([line.group(1)]), [name for line in cases for name in line.split(", ")])

    def test_calls(self):
        calls = [names(row[:1]) for row in ARTICLES["AdminAPI"].rows("call")]
        self.assertGreater(len(calls), 25)
        with Server() as server:
            self.request(server)
            described = set()
            done = subprocess.run(["curl", "--silent", f"{server.admin}/api/v1/openapi.json"],
                                  check=True, capture_output=True, timeout=PATIENCE)
            for path, operations in json.loads(done.stdout)["paths"].items():
                described |= {f"{method.upper()} {re.sub('{.*}', '{}', path)}" for method in operations}
            self.assertEqual({re.sub("{.*}", "{}", call) for row in calls for call in row}, described)
            for call in [call for row in calls for call in row if re.match(r"(GET|DELETE) [^{]+$", call)]:
                with self.subTest(call):
                    method, path = call.split()
                    command = ["curl", "--silent", "--fail", "-X", method, server.admin + path]
                    # A stream has no end, so curl gives up on it: 28.
                    is_stream = path.endswith("/events")
                    done = subprocess.run(
                        command + (["--max-time", "1"] if is_stream else []), capture_output=True, timeout=PATIENCE)
                    self.assertEqual(done.returncode, 28 if is_stream else 0, done.stdout)

    def request(self, server, path="/"):
        command = ["curl", "--silent", "--cacert", server.authority, "--http2", "--data", "x", f"{server.url}{path}"]
        subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)

    def test_ready_line(self):
        shown = [json.loads(block) for text in TEXTS for block in text.blocks("ready line")]
        with Server() as server:
            self.assertEqual([list(line) for line in shown], [list(server.ready)])

    def test_commands_and_options(self):
        article = ARTICLES["Commands"]
        options_of_the_server = set(names([row[0] for row in article.rows("option of `serve`, `relay` and `exec`")]))
        told = subprocess.run([EXECUTABLE, "--help"], check=True, capture_output=True, text=True, timeout=PATIENCE).stdout
        commands = re.findall(r"^  (\w+)  ", told.partition("SUBCOMMANDS:")[2], re.MULTILINE)
        self.assertEqual(names([row[0] for row in article.rows("command")]), [f"mock-apns {name}" for name in commands])
        for command in commands:
            told = subprocess.run([EXECUTABLE, command, "--help"], capture_output=True, text=True, timeout=PATIENCE).stdout
            options = set(re.findall(r"^  (--[a-z-]+)", told, re.MULTILINE)) - {"--help", "--version"}
            if command == "serve":
                self.assertEqual(options_of_the_server, options)
            else:
                if command == "exec":
                    options -= options_of_the_server
                row = next(row for row in article.rows("command") if row[0] == f"`mock-apns {command}`")
                shown = {word for name in names(row[1:]) for word in re.findall(r"--[a-z-]+", name)}
                self.assertLessEqual(shown, options)

    def test_variables(self):
        shown = set(names([row[0] for row in ARTICLES["Exec"].rows("variable")]))
        command = [EXECUTABLE, "exec", "--quiet", "--admin-token", "x", "--certs", str(Server._certs()),
                   "--manage-port", "0:sandbox", "--manage-port", "0:production", "--proxy", "--", "env"]
        told = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE,
                              env={"PATH": os.environ["PATH"]})
        self.assertEqual(set(re.findall(r"^(\w+)=", told.stdout, re.MULTILINE)) - {"PATH"}, shown)

    def test_make_targets(self):
        targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
        commands = [name for text in TEXTS for name in names([text.prose])]
        commands += [block["text"] for text in TEXTS for block in text.all_blocks]
        used = {target for command in commands for target in re.findall(r"^make ([a-z-]+)", command, re.MULTILINE)}
        self.assertLessEqual(used, targets)
        self.assertIn("run", used)
        told = {name.removeprefix("make ") for row in CONTRIBUTING.rows("target") for name in names(row[:1])
                if name.startswith("make ")}
        self.assertEqual(told, targets, "in CONTRIBUTING, and what `make help` lists")

    def test_modules(self):
        """CONTRIBUTING says what each module uses as the package does, each imports just that, and none uses one above it."""
        rows = [(*names(row[:1]), set(names(row[1:2]))) for row in CONTRIBUTING.rows("module")]
        package = {}
        for text in re.split(r"^        \.(?=\w+\()", (ROOT / "Package.swift").read_text(), flags=re.MULTILINE):
            name, *used = re.findall(r'(?<=[\[ ])"([\w-]+)"', text) or [""]
            package[name] = {other for other in used if (ROOT / "Sources" / other).is_dir()}
        above = set()
        for name, used in rows:
            with self.subTest(name):
                above.add(name)
                self.assertEqual(used, package[name])
                imports = set()
                for file in (ROOT / "Sources" / name).rglob("*.swift"):
                    imports |= set(re.findall(r"^(?:@\w+ )?(?:\w+ )?import (\w+)", file.read_text(), flags=re.MULTILINE))
                self.assertEqual({other for other in imports if (ROOT / "Sources" / other).is_dir()}, used)
                self.assertFalse(used & above)
        bare = {folder.name for folder in (ROOT / "Sources").glob("CMock*")}
        self.assertEqual(above | bare, {folder.name for folder in (ROOT / "Sources").iterdir() if folder.is_dir()})

    def test_folders(self):
        """What folders hold is said where they are, of each folder and briefly."""
        hold = {folder: {each.name for each in (ROOT / folder).iterdir() if each.is_dir()} for folder in ("Sources", "Tests")}
        for name in sorted(hold["Sources"]):
            if inside := {each.name for each in (ROOT / "Sources" / name).iterdir() if each.is_dir()}:
                hold[f"Sources/{name}"] = inside
                hold["Sources"].remove(name)
        self.assertEqual(set(FOLDERS), set(hold))
        for folder, inside in hold.items():
            with self.subTest(folder):
                self.assertEqual(sorted(FOLDERS[folder].listed()), sorted(inside))
                self.assertLessEqual(FOLDERS[folder].text.count("\n"), 40)

    def test_clients(self):
        """What there is to copy is listed with its folder, and nothing else is."""
        listed = {}
        for folder, *files in CLIENTS.rows("folder"):
            inside = ROOT / "Clients" / names([folder])[0]
            listed |= {inside / name: name for name in names(files) if (inside / name).is_file()}
        for folder, name in re.findall(r"^`(\S+)` has `(\S+)`", CLIENTS.prose, re.MULTILINE):
            listed[ROOT / "Clients" / folder / name] = name
        self.assertEqual(listed, {file: name for name, file in COPIES.items()})


class Scenarios(unittest.TestCase):
    def assert_no_mistakes(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(text)
            file.flush()
            done = subprocess.run([EXECUTABLE, "check", file.name], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual((done.returncode, done.stderr), (0, ""), text)

    def test_of_the_library(self):
        found = [item for text in TEXTS for item in text.named_blocks("scenario").items()]
        self.assertTrue(found)
        for name, text in found:
            self.assertEqual(text, (ROOT / "scenarios" / name).read_text())

    def test_of_the_texts(self):
        found = [(text.name, block) for text in TEXTS for block in text.unmarked("json")]
        found += [(name, block) for text in TEXTS for name, block in text.named_blocks("file").items()
                  if name.endswith(".json")]
        self.assertGreater(len(found), 10)
        for name, text in found:
            with self.subTest(name):
                self.assert_no_mistakes(text)


if __name__ == "__main__":
    unittest.main()
