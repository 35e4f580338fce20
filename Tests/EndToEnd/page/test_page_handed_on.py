"""What leaves the page: a push for an issue, the pushes of a search as a file; and starting over, which is not deleting."""

import pathlib
import tempfile
import unittest

from browser import ALICE, PageTest
from server import until

ROWS = "JSON.stringify(Array.from(document.querySelectorAll('tr[data-sequence]'), (row) => Number(row.dataset.sequence)))"
HOSTILE = '</pre><script>window.evil = 1</script><img src=x onerror="window.evil = 1">'


class HandedOn(PageTest):
    def test_a_push_for_an_issue(self):
        with self.serving():
            self.provider.push({"aps": {"alert": "```\nlate"}}, priority=7, collapse_id="a`b")
            self.open("pushes/1?tab=copy")
            self.page.click(".panel button", "Issue")
            self.page.until_text(".panel pre", "### Push 1: 400 BadPriority")
            text = self.page.run("return document.querySelector('.panel pre').textContent")
            for part in (f"- Token: `{ALICE}`", "- Collapse id: ``a`b``", "- User agent: `python-httpx/", "**Why**", 'apns-priority is "7"', "priorityIsKnown: ", "Found: 7.",
                         "https://developer.apple.com/", "**Payload** (", '```json\n{\n  "aps"'):
                self.assertIn(part, text)
            # A payload cannot end its block.
            self.provider.push(b"```` not JSON")
            self.open("pushes/2?tab=copy")
            self.page.click(".panel button", "Issue")
            self.page.until_text(".panel pre", "`````\n```` not JSON\n`````")
            self.page.click(".detail button", "Copy for an issue")
            self.page.element(".toast", "Copied for an issue.")

    def test_the_pushes_of_a_search_as_a_page_that_opens_without_a_server(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})
        with self.serving():
            self.provider.push({"aps": {"alert": {"title": HOSTILE, "body": "x"}}, HOSTILE: HOSTILE}, priority=7)
            self.provider.alert("good")
            self.provider.alert("refused", priority=7)
            self.open("pushes?status=4xx")
            self.page.until(f"{ROWS} === '[3,1]'")
            self.page.click(".toolbar button", "Save page")
            file = folder / "pushes.html"
            until(lambda: file.is_file() and file.stat().st_size, lambda: "no file")
            self.assertEqual(self.page.complaints(), [])
        self.page.open(file.as_uri())
        self.assertEqual(self.page.run("return Array.from(document.querySelectorAll('summary'), (each) => each.children[0].textContent + ' ' + each.children[2].textContent)"),
                         ["3 400 BadPriority", "1 400 BadPriority"])
        self.page.click("summary", HOSTILE)
        self.assertIn('apns-priority is "7"', self.page.text("details[open] dl"))
        self.assertIn(HOSTILE.replace('"', '\\"'), self.page.text("details[open] pre"))
        self.assertIn("Search: status:4xx · 2 pushes", self.page.text("p"))
        self.assertEqual(self.page.run("return [window.evil ?? null, document.querySelectorAll('script, img').length]"), [None, 0])
        self.assertEqual(self.page.complaints(), [])

    def test_reset_starts_over_and_delete_does_not(self):
        with self.serving() as server:
            server.post("/api/v1/rules", {"name": "busy", "times": 5, "then": {"reject": "TooManyRequests"}})
            self.provider.alert("Hello")
            self.open()
            self.page.until(f"{ROWS} === '[1]'")
            self.page.click(".toolbar button", "Delete")
            self.page.element("dialog", "Devices, screens and rules stay.")
            self.page.click("dialog button", "Delete")
            self.page.until(f"{ROWS} === '[]'")
            self.assertEqual(server.get("/api/v1/rules")["total"], 1)
            self.provider.alert("Hello")
            self.page.until(f"{ROWS} === '[2]'")
            self.page.click(".toolbar button", "Reset")
            self.page.element("dialog", "Reset the server?")
            self.page.click("dialog button", "Reset")
            self.page.element(".toast", "Started over.")
            self.page.until(f"{ROWS} === '[]'")
            self.assertEqual(server.get("/api/v1/rules")["total"], 0)


if __name__ == "__main__":
    unittest.main()
