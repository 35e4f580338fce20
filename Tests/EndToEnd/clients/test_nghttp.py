"""nghttp and h2load, whose counts have to agree with the server's."""

import collections
import pathlib
import re
import subprocess
import tempfile
import unittest

from server import PATIENCE, TOPIC, Server, device

# Kinds of paths; nghttp asks for each path only once, so each has a number in it.
KINDS = [
    (lambda n: "/3/device/" + device(n), 200, None),
    (lambda n: "/3/device/" + device(n).upper(), 200, None),
    (lambda n: "/3/device/" + "ab" * 60 + f"{n:040x}", 200, None),
    (lambda n: f"/3/device/abcd{n:x}", 400, "BadDeviceToken"),
    (lambda n: "/3/device/" + f"{n:x}".rjust(64, "x"), 400, "BadDeviceToken"),
    (lambda n: f"/3/devices/{n}", 404, "BadPath"),
    (lambda n: f"/{n}", 404, "BadPath"),
    (lambda n: "/3/device/" + device(n)[::-1], 200, None),
]
COUNT = 1000


class NGHTTP(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.body = self.folder / "body.json"
        self.body.write_text('{"aps":{"alert":"Hello"}}')
        self.expected = collections.Counter()
        for number in range(COUNT):
            _, status, reason = KINDS[number % len(KINDS)]
            self.expected[status, reason] += 1

    def headers(self, server):
        fields = {"authorization": "bearer " + server.token(), "apns-topic": TOPIC, "apns-push-type": "alert",
                  "apns-priority": "10"}
        return [part for name, value in fields.items() for part in ("-H", f"{name}: {value}")]

    def check_log(self, server):
        for records in (server.records(), server.log_lines()):
            self.assertEqual(collections.Counter((r["status"], r["reason"]) for r in records), self.expected)

    def test_nghttp(self):
        with Server("--log", "LOG") as server:
            urls = [server.url + KINDS[number % len(KINDS)][0](number) for number in range(COUNT)]
            done = subprocess.run(
                ["nghttp", "-n", "-s", "-d", str(self.body), *self.headers(server), *urls],
                capture_output=True, text=True, timeout=PATIENCE,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            codes = re.findall(r"^\s*\d+\s+\S+\s+\S+\s+\S+\s+(\d{3})\s", done.stdout, re.M)
            expected = collections.Counter()
            for (status, _), count in self.expected.items():
                expected[str(status)] += count
            self.assertEqual(collections.Counter(codes), expected, done.stdout[-2000:])
            self.check_log(server)

    def test_h2load(self):
        with Server("--log", "LOG") as server:
            listed = self.folder / "urls.txt"
            listed.write_text("".join(f"{server.url}{path(0)}\n" for path, _, _ in KINDS))
            log = self.folder / "h2load.log"
            done = subprocess.run(
                ["h2load", "-n", str(COUNT), "-c", "4", "-m", "100", "-i", str(listed), "-d", str(self.body),
                 f"--log-file={log}", *self.headers(server)],
                capture_output=True, text=True, timeout=PATIENCE,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"{COUNT} done", done.stdout)
            self.assertRegex(done.stdout, r"0 errored, 0 timeout")
            statuses = collections.Counter(int(line.split()[1]) for line in log.read_text().splitlines())
            records = collections.Counter(record["status"] for record in server.records())
            self.assertEqual(statuses, records)
            self.assertEqual(sum(records.values()), COUNT)
            self.assertEqual(set(statuses), {200, 400, 404})
            summary = server.get("/api/v1/summary")
            self.assertEqual(by_status(summary), {str(status): count for status, count in statuses.items()})


def by_status(summary):
    """The summary's totals by status, as {"200": n}."""
    for name in ("status", "statuses", "byStatus"):
        if name in summary:
            totals = summary[name]
            if isinstance(totals, list):
                totals = {entry.get("status", entry.get("name")): entry["count"] for entry in totals}
            return {str(status): count for status, count in totals.items()}
    raise AssertionError(f"no totals by status in {summary}")


if __name__ == "__main__":
    unittest.main()
