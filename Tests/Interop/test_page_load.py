"""The page under full load: it shows a sample, says so, and stays small."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import pytest

from browser import ALICE, PageTest
from server import TOPIC

SECONDS = int(os.environ.get("PAGE_LOAD_SECONDS", "20"))
PAYLOAD = '{"aps":{"alert":{"title":"Goal","body":"2-1"},"sound":"default"},"match":17}'


@pytest.mark.alone
class Load(PageTest):
    options = ("--js-flags=--expose-gc", "--enable-precise-memory-info")

    def heap(self):
        return self.page.run("gc(); return performance.memory.usedJSHeapSize")

    def test_under_full_load(self):
        with self.serving("--initial-streams", "1000") as server, tempfile.TemporaryDirectory() as folder:
            body = pathlib.Path(folder) / "payload.json"
            body.write_text(PAYLOAD)
            self.open()
            self.page.until_text(".state", "live")
            before = self.heap()
            self.page.run("window.tasks = []; new PerformanceObserver((list) => tasks.push(...list.getEntries().map((each) => each.duration)))"
                  ".observe({type: 'longtask', buffered: false})")
            load = subprocess.Popen(
                ["h2load", "-c", "2", "-m", "100", "-D", str(SECONDS), "-d", str(body), "-H", f"authorization: bearer {server.token()}",
                 "-H", f"apns-topic: {TOPIC}", "-H", "apns-push-type: alert", f"{server.url}/3/device/{ALICE}"],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.page.until(r"/^showing [\d,]+ of [\d,]+\/s$/.test(document.querySelector('.state').textContent)")
            output = load.communicate()[0]
            self.page.until("!document.querySelector('.state').textContent.includes('showing')")
            rows = self.page.run("return document.querySelectorAll('tr[data-sequence]').length")
            self.assertLessEqual(rows, 100)
            # The newest is there in the end.
            newest = server.get("/api/v1/requests?order=desc&limit=1")["requests"][0]["sequence"]
            self.page.until("Number(document.querySelector('tr[data-sequence]').dataset.sequence) === given[0]", newest)
            after, tasks = self.heap(), self.page.run("return tasks")
            print(f"\n{newest:,} pushes in {SECONDS} s; heap {before / 1e6:.1f} MB before, {after / 1e6:.1f} MB after;"
                  f" {len(tasks)} long tasks, the longest {max(tasks, default=0):.0f} ms; {rows} rows in the document")
            self.assertLess(after, 60_000_000, output)


if __name__ == "__main__":
    unittest.main()
