"""`mock-apns suite`: what a driver is told and may say, the reports, and the built-in stories. The
reference driver passes all of them, and with a bug exactly those fail that are about it. A bug is tried on the stories that
are about it and three others, different ones for each; ALL_STORIES=1 tries it on all.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

import endless
from server import EXECUTABLE, PATIENCE, ROOT, device
from suite_drivers import STORIES, needs

REFERENCE = [sys.executable, str(ROOT / "Tests/EndToEnd/reference/driver.py")]
# The stories that are about each bug; and those where the speed of the machine decides whether it shows.
BUGS = {
    "gives-up": ({name for name in STORIES if "retries" in needs(name)}, {"rolling-restart"}),
    "renews-too-often": ({"sporadic-invalid-token", "too-many-token-updates"}, set()),
    "no-retry-after": ({"retry-after"}, set()),
    "loses-collapse-id": ({"answer-lost", "collapse-online"}, set()),
    "loses-expiration": ({"expiration-zero-offline", "expires-in-storage"}, set()),
    "keeps-dead-tokens": ({
        "accepted-after-uninstall", "activity-over-after-8-hours", "activity-token-died", "bad-tokens-end-the-connection",
        "environment-mismatch", "new-phone-new-token", "token-expired", "token-rotated", "unregistered",
        "which-reasons-remove-a-token",
    }, set()),
    "drops-busy-tokens": ({
        "background-flood", "collapse-online", "fails-twice-then-works", "limit-falls-in-flight", "retry-after",
        "too-many-requests", "too-many-token-updates", "tour", "which-reasons-remove-a-token",
    }, set()),
    # Streams above a limit of one have to come together to be seen.
    "too-many-streams": ({"limit-zero-for-a-while"}, {"one-stream-at-start", "limit-falls-in-flight"}),
    "trusts-anybody": ({"server-certificate-changed", "server-certificate-not-to-be-trusted"}, set()),
    "one-team": ({"two-teams"}, set()),
}
# The stories in which a push is accepted and not seen, or only quietly or later: to send it again is wrong.
ACCEPTED = [
    "activity-start-over-budget", "app-force-quit", "app-in-foreground", "background-over-budget", "expiration-zero-offline",
    "expires-in-storage", "newest-wins", "notifications-disabled", "offline-then-online", "permission-denied", "power-saving",
    "provisional-is-quiet",
]
# Sends a request that is refused, so that the server has got one.
KNOCK = """
import os, subprocess
def knock():
    subprocess.run(["curl", "--silent", "--http2", "--output", os.devnull, "--data", "{}",
                    os.environ["MOCK_APNS_URL"] + "/3/device/00"], check=True)
"""
# A driver that pushes nothing, and says so; it knocks if that is the collapse id.
IDLE = KNOCK + """
import json, sys
for line in sys.stdin:
    push = json.loads(line)
    if push.get("collapseID") == "knock":
        knock()
    print(json.dumps({"id": push["id"], "error": "not sent"}), flush=True)
"""
# A driver that says all is well, and pushes nothing.
YES = IDLE.replace('"error": "not sent"', '"status": 200')
# A driver that lets another push, and then writes down what lint finds.
LINTED = """
import json, os, pathlib, subprocess, sys, urllib.request
done = subprocess.run(sys.argv[2:])
def get(path):
    with urllib.request.urlopen(os.environ["MOCK_APNS_ADMIN_URL"] + path, timeout=60) as answer:
        return json.load(answer)
file = pathlib.Path(sys.argv[1]) / f"{get('/api/v1/scenario')['name']}.json"
file.write_text(json.dumps(get("/api/v1/lint?severity=warning")["findings"]))
sys.exit(done.returncode)
"""
QUIET = {"requests": {"status": 200}, "count": 0}


class Suite(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-suite-")))

    def run_suite(self, *words, driver=None, code=0):
        """The standard output and error of a suite, which has to end with that code."""
        command = [EXECUTABLE, "suite", *map(str, words), "--", *map(str, driver or REFERENCE)]
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment,
                              timeout=10 * PATIENCE)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def story(self, *entries, name="small", **members):
        """A story of its own, a file; of no entries: one push to alice, of which no driver here sends more than a knock."""
        members = {"devices": [{"name": "alice", "token": device(1), "topic": "com.example.app"}],
                   "workload": list(entries) or [{"push": {"device": "alice", "collapseID": "knock"}}], "expect": [QUIET], **members}
        file = self.folder / f"{name}.json"
        file.write_text(json.dumps(members))
        return file

    def python(self, text):
        """A driver of that text."""
        file = self.folder / "driver.py"
        file.write_text(text)
        return [sys.executable, file]

    def outcomes(self, *words, **options):
        """The names of the stories that were played, with their outcomes."""
        file = self.folder / "suite.json"
        output, error = self.run_suite("--json", file, "--timeout", f"{PATIENCE}s", *words, **options)
        report = json.loads(file.read_text())
        return {story["name"]: story["outcome"] for story in report["stories"]}, output + error

    # What a driver is told, and may say

    def test_a_driver_is_told_what_to_push(self):
        told = self.folder / "told.jsonl"
        story = self.story(
            {"push": {"device": "alice", "pushType": "alert", "priority": 5, "expiration": 0, "collapseID": "score",
                      "payload": {"aps": {"alert": "Hello"}}}},
            {"push": {"token": "AB", "expiration": "1h"}, "times": 2}, {"push": {"device": "alice"}, "after": "all"},
            clock={"manual": "2026-01-01T00:00:00Z"})
        driver = self.python(KNOCK + f"""
import json, os, sys
knock()
assert all(os.environ["MOCK_APNS_" + name] for name in ("URL", "HOST", "PORT", "CA", "KEY", "KEY_ID", "TEAM_ID", "TOPIC"))
assert os.path.exists(os.environ["MOCK_APNS_KEY"])
with open({str(told)!r}, "w") as file:
    for line in sys.stdin:
        file.write(line)
        print(json.dumps({{"id": json.loads(line)["id"], "error": "not sent"}}), flush=True)
""")
        output, _ = self.run_suite(story, driver=driver)
        self.assertRegex(output, r"^passed   small\n1 passed, 0 failed of 1 story in \d+\.\d s\n$")
        self.assertEqual([json.loads(line) for line in told.read_text().splitlines()], [
            {"id": "1", "token": device(1), "topic": "com.example.app", "pushType": "alert", "priority": 5,
             "expiration": 0, "collapseID": "score", "payload": {"aps": {"alert": "Hello"}}},
            {"id": "2", "token": "AB", "expiration": 1767229200}, {"id": "3", "token": "AB", "expiration": 1767229200},
            {"id": "4", "token": device(1), "topic": "com.example.app"},
        ])

    def test_drivers_get_team_and_key_of_each_push(self):
        """The key is a file that holds the key of that id; a story of one team says nothing."""
        told = self.folder / "told.jsonl"
        pem = subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
                             check=True, capture_output=True, text=True).stdout
        (self.folder / "own.p8").write_text(pem)
        teams = [{"teamID": f"TEAM00000{number}", "topics": [f"com.example.{number}"], "keys": [{"keyID": f"KEY000000{number}", **key}]}
                 for number, key in enumerate([{}, {"file": "own.p8"}, {"pem": pem}])]
        pushes = [{"push": {"token": device(1), "topic": f"com.example.{number}"}} for number in range(3)]
        story = self.story(*pushes, authentication={"teams": teams}, needs=["teams"], devices=[])
        driver = self.python(KNOCK + f"""
import json, sys
knock()
with open({str(told)!r}, "w") as file:
    for line in sys.stdin:
        push = json.loads(line)
        file.write(json.dumps([push["teamID"], push["keyID"], open(push["key"]).read()]) + "\\n")
        print(json.dumps({{"id": push["id"], "error": "not sent"}}), flush=True)
""")
        self.run_suite(story, driver=driver)
        lines = [json.loads(line) for line in told.read_text().splitlines()]
        self.assertEqual([line[:2] for line in lines], [[f"TEAM00000{n}", f"KEY000000{n}"] for n in range(3)])
        self.assertIn("PRIVATE KEY", lines[0][2])
        self.assertEqual([line[2].strip() for line in lines[1:]], [pem.strip()] * 2)

    def test_one_connection_per_push_is_named_as_cause(self):
        """Where the story needs a driver that keeps one; what leaves out such stories stands beside."""
        twice = KNOCK + IDLE.replace("import json, sys", "import json, sys\nknock(), knock()")
        expect = [{"requests": {"status": 200}, "count": 2}]
        output, _ = self.run_suite(self.story(needs=["keepsConnection"], expect=expect), driver=self.python(twice), code=1)
        self.assertRegex(output, r"failed   small: .*; each of the \d requests came on a connection of its own, but this story "
                                 r"needs a driver that keeps one: --skip keepsConnection leaves out such stories\n")
        output, _ = self.run_suite(self.story(expect=expect), driver=self.python(twice), code=1)
        self.assertNotIn("keepsConnection", output)

    def test_an_entry_waits_for_answers_and_for_time(self):
        alice = {"device": "alice"}
        story = self.story({"push": alice}, {"push": alice, "after": [0], "wait": "300ms"}, {"push": alice},
                           {"push": alice, "after": [1]})
        # The fourth push comes although the third has no answer.
        driver = self.python(KNOCK + """
import json, sys, time
knock()
def answer(id):
    print(json.dumps({"id": id, "error": "not sent"}), flush=True)
sys.stdin.readline()
answered = time.monotonic()
answer("1")
sys.stdin.readline()
waited = time.monotonic() - answered
sys.stdin.readline()
answer("2")
assert json.loads(sys.stdin.readline())["id"] == "4"
answer("3")
answer("4")
assert waited >= 0.29, waited  # the suite and the driver have clocks of their own
""")
        self.run_suite(story, driver=driver)

    def check_drivers(self, messages, *words):
        """What is told of a driver of each of these texts, all in one suite: each plays a story that says which it is."""
        texts = self.folder / "texts.json"
        texts.write_text(json.dumps(list(messages)))
        driver = self.python(f"""
import json, os, subprocess, sys, time
push = json.loads(sys.stdin.readline())
def answer():
    print(json.dumps({{"id": "1", "status": 200}}), flush=True)
    sys.stdin.read()
exec(json.load(open({str(texts)!r}))[int(push["collapseID"])])
""")
        stories = [self.story({"push": {"device": "alice", "collapseID": str(number)}}, name=f"story-{number}")
                   for number in range(len(messages))]
        output, _ = self.run_suite(*stories, *words, driver=driver, code=1)
        for number, message in enumerate(messages.values()):
            with self.subTest(message):
                self.assertIn(f"failed   story-{number}: {message}", output)

    def test_what_is_wrong_with_a_driver_is_told(self):
        self.check_drivers({
            'print("Hello")': "line 1 of the driver is not JSON; a driver writes nothing but one JSON object a line: Hello",
            'print(\'{"id": "1"}\')': 'line 1 of the driver has neither "status" nor "error": {"id": "1"}',
            'print(\'{"id": "7", "status": 200}\')': "line 1 of the driver answers a push that it was not given",
            "answer(); answer()": "line 2 of the driver answers push 1 again",
            "": "the driver ended before it reported push 1",
            "sys.exit(3)": "the driver ended with exit code 3 before it reported push 1",
            "os.kill(os.getpid(), 11)": "the driver was ended by signal 11 before it reported push 1",
            "os.close(1); time.sleep(3600)": "the driver ended before it reported push 1",
            "answer(); sys.exit(3)": "the driver ended with exit code 3",
            "answer(); os.kill(os.getpid(), 9)": "the driver was ended by signal 9",
            'print("x" * 200_000)': "line 1 of the driver is longer than 128 KB",
            # It leaves the driver's process group, and goes on to write to its standard output.
            'subprocess.run(["yes"], start_new_session=True)': "line 1 of the driver is not JSON",
        })
        twice = self.story({"push": {"device": "alice"}, "times": 2}, name="twice")
        output, _ = self.run_suite(twice, driver=self.python("input(), input()"), code=1)
        self.assertIn("failed   twice: the driver ended before it reported pushes 1, 2\n", output)
        output, _ = self.run_suite(self.story(), driver=["no-such-driver"], code=1)
        self.assertIn("failed   small: the driver no-such-driver cannot be started", output)

    def test_a_silent_driver_is_killed(self):
        unended = "the driver did not end within 5.0 seconds of the end of its input; it was killed"
        self.check_drivers({
            "sys.stdin.read()": "the driver said nothing for 5.0 seconds, with no answer for push 1; it was killed",
            # Nor do those survive that it has started.
            'subprocess.run(["sleep", "3600"])': "the driver said nothing for 5.0 seconds",
            "answer(); time.sleep(3600)": unended,
            # It has closed its standard output, and goes on.
            "answer(); os.close(1); time.sleep(3600)": unended,
        }, "--timeout", "5s")

    def test_drivers_with_endless_output_are_killed(self):
        """And the suite takes little memory, and leaves nothing of it in a folder."""
        messages = {
            "error-bytes": "the driver wrote more than 16 MB to its standard error; it was killed",
            "error-lines": "the driver wrote more than 16 MB to its standard error; it was killed",
            "output-bytes": "line 1 of the driver is longer than 128 KB",
            "output-lines": "line 1 of the driver is not JSON",
            "empty-lines": "line 1 of the driver is not JSON",
            "unknown-pushes": "line 1 of the driver answers a push that it was not given",
            "repeated-pushes": "line 2 of the driver answers push 1 again",
            "output-drip": "the driver said nothing for 5.0 seconds, with no answer for push 1; it was killed",
            "ignores-the-end": "the driver did not end within 5.0 seconds of the end of its input; it was killed",
            "escaped": "line 1 of the driver is longer than 128 KB|the driver wrote more than 16 MB",
        }
        self.assertEqual(sorted(messages), sorted(endless.DRIVER_KINDS))
        folder = self.folder / "temporary"
        folder.mkdir()
        story = self.story()
        for kind, message in messages.items():
            with self.subTest(kind):
                limit = "5s" if "5.0 seconds" in message else f"{PATIENCE}s"
                code, told = endless.watch(
                    [EXECUTABLE, "suite", story, "--timeout", limit, "--", *endless.driver(kind)],
                    env={**os.environ, "TMPDIR": str(folder)})
                self.assertEqual(code, 1, told)
                self.assertRegex(told, f"failed   small: (?:{message})")
                self.assertLess(len(told), 20_000)
                self.assertEqual(list(folder.iterdir()), [])
                if kind == "error-lines":
                    # The last of it is of use.
                    self.assertGreaterEqual(told.count("  driver: a remark\n"), 19)

    def test_processes_escaped_from_drivers_delay_nothing(self):
        """It has left the driver's process group, keeps standard error, and goes on to write to it."""
        story = self.story(expect=[{"requests": {}, "count": 9}])
        driver = self.python(IDLE + """
import subprocess
print("the last remark", file=sys.stderr, flush=True)
subprocess.Popen([sys.executable, "-c", "import os, time\\nwhile True: os.write(2, b'.'); time.sleep(0.1)"],
                 start_new_session=True, stdout=subprocess.DEVNULL)
""")
        output, error = self.run_suite(story, "--timeout", f"{PATIENCE}s", driver=driver, code=1)
        self.assertIn("failed   small: ", output)
        self.assertIn("  driver: the last remark\n", error)

    def test_drivers_that_exceed_the_story_timeout_are_killed(self):
        """It never says nothing for long: it answers one push after the other."""
        story = self.story({"push": {"device": "alice"}, "times": 1000})
        driver = self.python("""
import json, sys, time
for line in sys.stdin:
    time.sleep(1)
    print(json.dumps({"id": json.loads(line)["id"], "status": 200}), flush=True)
""")
        output, _ = self.run_suite(story, "--story-timeout", "4s", driver=driver, code=1)
        self.assertIn("failed   small: the driver took longer than 4.0 seconds for the story; it was killed", output)

    def test_suites_ended_by_signals_report_their_progress(self):
        story = {"expect": [{"requests": {}, "count": 1}]}
        files = [self.story(name=name, **story) for name in ("one", "two", "three", "four")]
        report = self.folder / "report.md"
        # It answers the first story, and is silent in the second.
        driver = self.python(KNOCK + f'''
import json, os, pathlib, sys, time
push = json.loads(input())
mark = pathlib.Path({str(self.folder / "mark")!r})
if mark.exists():
    print("waiting", file=sys.stderr, flush=True)
    (mark.parent / "waits").touch()
    time.sleep(3600)
mark.touch()
knock()
print(json.dumps({{"id": push["id"], "error": "not sent"}}), flush=True)
sys.stdin.read()
''')
        command = [EXECUTABLE, "suite", "--jobs", "1", "--timeout", "10m", "--story-timeout", "1h", "--report", report,
                   *files, "--", *driver]
        process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        while process.poll() is None and not (self.folder / "waits").exists():
            time.sleep(0.01)
        process.terminate()
        output, error = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, output), (143, "passed   one\n"), error)
        self.assertEqual(error, "mock-apns: Signal 15 ended the suite after 1 of 4 stories: 1 passed. "
                                "Not played to the end: two. Not begun: 2.\n")
        self.assertIn("The run was interrupted before it was judged.", report.read_text())

    # Stories and reports

    def test_a_failed_story_says_what_was_nearest(self):
        story = self.story({"push": {"device": "alice"}}, name="one",
                           expect=[{"name": "alice has it", "requests": {"status": 200}, "count": 1}])
        files = [self.folder / name for name in ("junit.xml", "report.md", "report.json")]
        driver = self.python(IDLE + "print('a remark', file=sys.stderr)")
        words = ["--junit", files[0], "--report", files[1], "--json", files[2]]
        output, error = self.run_suite(self.story(name="two"), story, *words, driver=driver, code=1)
        lines = output.splitlines()
        self.assertEqual(lines[:2], ["passed   two", "failed   one: There were no requests and no connections."])
        self.assertIn("1 passed, 1 failed of 2 stories", lines[2])
        self.assertEqual(error, "  driver: push 1: not sent\n  driver: a remark\n")
        self.assertIn("driver: push 1: not sent\n", files[0].read_text())
        suite = xml.etree.ElementTree.parse(files[0]).getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("2", "1"))
        self.assertEqual([case.get("name") for case in suite.iter("testcase")], ["two", "one"])
        self.assertIn("| ❌ | one |", files[1].read_text())
        told = json.loads(files[2].read_text())["stories"]
        self.assertEqual([story["outcome"] for story in told], ["passed", "failed"])
        self.assertEqual([story["driverErrors"] for story in told], [[], [{"id": "1", "error": "not sent"}]])

        output, _ = self.run_suite("unregistered", "--timeout", f"{PATIENCE}s",
                                   driver=[*REFERENCE, "--bug", "keeps-dead-tokens"], code=1)
        self.assertRegex(output, r"failed   unregistered: alice was told once: expected exactly 1 request .*; seen: 2 requests"
                                 r".* \(\d of \d expectations failed\)\n")

    def test_a_story_is_skipped_with_the_reason(self):
        yes = self.python(IDLE)
        needy, idle = self.story(needs=["retries", "collapses"], name="needy"), self.story(workload=[], name="idle")
        words = [needy, idle, self.story(), "--skip", "retries"]
        output, _ = self.run_suite(*words, driver=yes)
        self.assertIn("skipped  needy: it needs retries\nskipped  idle: it has no workload\npassed   small\n", output)
        self.assertIn("1 passed, 0 failed, 2 skipped of 3 stories", output)
        # Nothing was played.
        self.run_suite(needy, "--skip", "retries", driver=yes, code=1)
        output, _ = self.run_suite(*words, "--only", "small", driver=yes)
        self.assertNotIn("needy", output)

    def test_stories_are_skipped_by_name(self):
        idle = self.python(IDLE)
        output, _ = self.run_suite(self.story(), self.story(name="other"), "--skip", "other", driver=idle)
        self.assertIn("passed   small\nskipped  other: --skip names it\n1 passed, 0 failed, 1 skipped", output)
        output, _ = self.run_suite("pings-not-acknowledged", "two-teams", self.story(), "--skip", "pings", "--skip", "teams",
                                   driver=idle)
        self.assertIn("skipped  pings-not-acknowledged: it needs pings\nskipped  two-teams: it needs teams\n", output)

    def test_stories_without_arriving_pushes_fail_whatever_they_expect(self):
        """Its expectations hold: nothing was answered with 200, and nothing else came."""
        story = self.story({"push": {"device": "alice"}}, expect=[QUIET, {"nothingElse": True}])
        output, _ = self.run_suite(story, driver=self.python(IDLE), code=1)
        self.assertIn("failed   small: no push of the workload arrived, so it shows nothing. There were no requests and no "
                      "connections.\n", output)

    def test_a_story_that_expects_nothing_fails(self):
        output, _ = self.run_suite(self.story(expect=[]), driver=self.python(IDLE), code=1)
        self.assertIn('failed   small: it expects nothing, so it would show nothing; add "expect"', output)

    def test_driver_reports_are_compared_with_actual_answers(self):
        output, _ = self.run_suite(self.story(), driver=self.python(YES), code=1)
        self.assertIn("failed   small: the driver reports status 200 for push 1, but no request for that device token was "
                      "answered\n", output)
        expecting = self.story({"push": {"device": "alice"}, "times": 2}, name="expecting",
                               expect=[{"requests": {"status": 200}, "count": 2}])
        output, _ = self.run_suite(expecting, driver=self.python(YES), code=1)
        self.assertIn("failed   expecting: the driver reported status 200 for 2 pushes, but the server got none. There were no "
                      "requests and no connections.\n", output)
        # It reports something that was never answered.
        first = self.python(f"""
import json, subprocess, sys
driver = subprocess.Popen({list(map(str, REFERENCE))!r}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
line = sys.stdin.readline()
driver.stdin.write(line)
driver.stdin.close()
driver.stdout.read()
driver.wait()
print(json.dumps({{"id": "1", "status": 410}}), flush=True)
sys.stdin.read()
""")
        story = self.story({"push": {"device": "alice", "pushType": "alert", "payload": {"aps": {"alert": "Hello"}}}},
                           expect=[{"requests": {"status": 200}, "count": 1}])
        output, _ = self.run_suite(story, "--timeout", f"{PATIENCE}s", driver=first, code=1)
        self.assertIn("failed   small: the driver reports status 410 for push 1, but requests for that device token were "
                      "answered with 200\n", output)

    def list(self, *words):
        command = [EXECUTABLE, "suite", "--list", *map(str, words)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_the_list(self):
        names = [line for line in self.list().splitlines() if not line.startswith(" ")]
        self.assertEqual(sorted(names), sorted(STORIES))
        self.assertEqual(
            self.list("--only", "retry-after"),
            "retry-after\n  The first push to alice gets 429 TooManyRequests and the first to bob 503 ServiceUnavailable, both "
            "with retry-after: 1.\n  needs: retries\n")
        story = self.story(name="mine", needs=["retries", "teams"])
        self.assertEqual(self.list(story), "mine\n  needs: retries, teams\n")
        self.assertEqual(self.list(story, "--skip", "teams"), "")

    def test_wrong_usage_is_told(self):
        bad = self.folder / "bad.json"
        bad.write_text('{"workload": [{"push": {"device": "alice"}}]}')
        for words, code, message in (
            (["unregisterd"], 64, 'mock-apns: There is no story "unregisterd". Did you mean "unregistered"?'),
            (["--only", "tuor"], 64, 'There is no story "tuor". Did you mean "tour"?'),
            (["tour", "tour"], 64, "Two stories are called tour"),
            (["--jobs", "0"], 64, "a whole number from 1 to 64"), (["--timeout", "10"], 64, "a whole number with a unit"),
            (["--story-timeout", "0s"], 64, "a duration must be more than 0"),
            (["nothing-like-it-at-all"], 64, 'Expected a file, or one such as "'),
            (["--skip", "retrys"], 64, '--skip is "retrys"; did you mean "retries"?'),
            (["--skip", "tuor"], 64, '--skip is "tuor"; did you mean "tour"?'),
            (["--skip", "nothing-like-it-at-all"], 64, "expected the name of a story, or one of clientCertificate"),
            ([bad], 65, f'{bad}:1:35: workload[0].push.device is "alice", but no device has that name'),
            ([self.folder / "none.json"], 69, "none.json"),
        ):
            with self.subTest(words):
                output, error = self.run_suite(*words, code=code)
                self.assertEqual(output, "")
                self.assertIn(message, error)
        done = subprocess.run([EXECUTABLE, "suite"], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 64)
        self.assertIn("The driver is missing; it comes after --", done.stderr)

    # The built-in stories

    def test_the_reference_driver_passes_all_stories(self):
        """And lint finds nothing above a note in what it pushes."""
        findings = self.folder / "findings"
        findings.mkdir()
        linted = [sys.executable, "-c", LINTED, findings, *REFERENCE]
        outcomes, output = self.outcomes("--jobs", "4", driver=linted)
        self.assertEqual(outcomes, dict.fromkeys(STORIES, "passed"), output)
        found = {file.stem: json.loads(file.read_text()) for file in findings.iterdir()}
        self.assertGreater(len(found), 60)
        for name, findings in sorted(found.items()):
            with self.subTest(name):
                self.assertEqual([f"{each['rule']}: {each['message']}" for each in findings], [])

    def check_bug(self, bug):
        about, maybe = BUGS[bug]
        number = list(BUGS).index(bug)
        every = 1 if os.environ.get("ALL_STORIES") else len(STORIES) // 3
        others = [story for story in STORIES[number % every::every] if story not in about | maybe]
        words = [word for story in sorted(about) + others for word in ("--only", story)]
        outcomes, output = self.outcomes("--jobs", "4", *words, driver=[*REFERENCE, "--bug", bug], code=1)
        failed = {story for story, outcome in outcomes.items() if outcome != "passed"}
        self.assertEqual(failed - maybe, about - maybe, output)

    def test_bug_sends_again(self):
        """Most stories notice, but these have no other bound for a driver, which is told what to push."""
        files = [ROOT / "scenarios" / f"{name}.json" for name in ACCEPTED]
        outcomes, output = self.outcomes("--jobs", "4", *files, driver=[*REFERENCE, "--bug", "sends-again"], code=1)
        self.assertEqual(outcomes, dict.fromkeys(ACCEPTED, "failed"), output)

    def test_a_token_registered_again_may_be_kept_or_dropped(self):
        """A driver is not told when that was."""
        file = ROOT / "scenarios/registered-again-after-410.json"
        for options in [], ["--bug", "keeps-dead-tokens"]:
            with self.subTest(options):
                outcomes, output = self.outcomes(file, driver=[*REFERENCE, *options])
                self.assertEqual(outcomes, {file.stem: "passed"}, output)

    def test_there_are_eleven_bugs(self):
        done = subprocess.run([*REFERENCE, "--help"], capture_output=True, text=True, timeout=PATIENCE)
        bugs = [*BUGS, "sends-again"]
        self.assertEqual(len(bugs), 11)
        for bug in bugs:
            self.assertIn(f"{bug}:", " ".join(done.stdout.split()).replace("- ", "-"))


# A test for each bug.
for _bug in BUGS:
    setattr(Suite, f"test_bug_{_bug.replace('-', '_')}", lambda self, bug=_bug: self.check_bug(bug))


if __name__ == "__main__":
    unittest.main()
