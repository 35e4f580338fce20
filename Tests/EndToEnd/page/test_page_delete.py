"""Deleting from the page: what the search finds, and nothing else."""

import unittest

from browser import Keys, PageTest
from server import device


class Delete(PageTest):
    def pushed(self):
        self.provider.alert("goal", collapse_id="score")
        self.provider.alert("no goal", to=device(2))
        self.provider.alert("refused", priority=7)
        self.provider.push({"aps": {"content-available": 1}}, kind="background", priority=5)
        self.server.post("/api/v1/pushes", {"token": device(2), "payload": {"aps": {"alert": "goal by admin"}}})

    def left(self):
        found = self.server.post("/api/v1/requests/find", {"requests": {"sentBy": {"oneOf": ["provider", "admin"]}}})
        return [each["sequence"] for each in found["requests"]]

    def search(self, text, shown):
        self.page.run("const field = document.querySelector('input[type=search]'); field.value = arguments[0]; field.dispatchEvent(new Event('input'))", text)
        self.page.until(
            "JSON.stringify(Array.from(document.querySelectorAll('tr[data-sequence]'), (row) => Number(row.dataset.sequence))) === JSON.stringify(given[0])",
            shown)

    def test_a_search_deletes_what_it_finds(self):
        for text, found in (("-status:200", [3]), ("status:4xx", [3]), ("goal -no", [5, 1]), ("has:collapse", [1]), ("is:background", [4]),
                            ("payload:/aps/content-available=1", [4]), ("after:2020-01-01 goal", [5, 2, 1]), ("smaller:100 type:alert", [3, 2, 1])):
            with self.subTest(text), self.serving():
                self.pushed()
                self.open()
                self.search(text, found)
                self.page.click(".toolbar button", "Delete")
                self.page.click("dialog button", "Delete")
                self.page.element(".toast", f"{len(found)} record")
                # What is counted is what is left.
                self.page.until("document.querySelector('.totals span[title]').textContent === String(given[0])", 5 - len(found))
                self.assertEqual(self.left(), sorted({1, 2, 3, 4, 5} - set(found)))

    def test_what_is_deleted_elsewhere_leaves_the_list(self):
        with self.serving():
            self.pushed()
            self.open()
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 5")
            self.page.until_text(".state", "live")
            self.server.post("/api/v1/requests/delete", {"requests": {"status": 400}})
            # The next push brings it up.
            self.provider.alert("next")
            shown = "Array.from(document.querySelectorAll('tr[data-sequence]'), (row) => row.dataset.sequence).join()"
            self.page.until(f"{shown} === '6,5,4,2,1'")
            # What is selected stays where it is, and so do its neighbors.
            self.page.click("tr[data-sequence='4']")
            self.page.element(".detail h2", "Push 4")
            self.server.post("/api/v1/requests/delete", {"requests": {"collapseID": "score"}})
            self.provider.alert("one more")
            self.page.element(".news", "1 new")
            self.page.until("document.querySelector('.totals span[title]').textContent === '5'")
            self.assertEqual(self.page.run(f"return {shown}"), "6,5,4,2,1")
            self.page.type(Keys.ESCAPE)
            self.page.click(".news")
            self.page.until(f"{shown} === '7,6,5,4,2'")

    def test_a_search_with_a_mistake_deletes_nothing(self):
        with self.serving():
            self.pushed()
            self.open()
            delete = "Array.from(document.querySelectorAll('.toolbar button')).find((each) => each.textContent === 'Delete')"
            for text, shown in (("status:many goal", [5, 2, 1]), ("is:odd goal", [5, 2, 1])):
                with self.subTest(text):
                    self.search(text, shown)
                    # Disabled, with the reason; the key for it says the same.
                    self.page.until(f"{delete}.disabled && {delete}.title.includes('deletes nothing')")
                    self.page.run("document.activeElement.blur()")
                    self.page.type("x")
                    self.page.element(".toast", "deletes nothing")
                    self.assertEqual(self.page.run("return document.querySelectorAll('dialog').length"), 0)
                    self.assertEqual(self.left(), [1, 2, 3, 4, 5])
            self.search("goal", [5, 2, 1])
            self.page.until(f"!{delete}.disabled && !{delete}.title.includes('mistake')")
            self.page.click(".toolbar button", "Delete")
            self.page.element("dialog", "Delete the 3 records found?")
            self.page.click("dialog button", "Cancel")
            self.assertEqual(self.left(), [1, 2, 3, 4, 5])

    def test_counts_follow_a_deletion_from_a_long_log(self):
        with self.serving():
            for number in range(450):
                self.provider.alert(f"Push {number}", priority=7 if number % 3 == 0 else 10)
            self.open("pushes?status=4xx")
            self.page.element(".note", "150 pushes found")
            self.page.until("document.querySelector('.totals').innerText.includes('450')")
            self.page.click(".toolbar button", "Delete")
            self.page.element("dialog", "Delete the 150 records found?")
            self.page.click("dialog button", "Delete")
            self.page.element(".toast", "150 records deleted")
            self.page.until("document.querySelector('.totals span[title]').title === '300 pushes'")
            self.page.until("document.querySelector('.totals').textContent.includes('2xx 300') && !document.querySelector('.totals .s4')")
            self.open("pushes")
            self.page.until("document.querySelector('.facet[title=\"2xx\"]')?.textContent === '2xx300'")
            self.page.until("!document.querySelector('.facet[title=\"4xx\"]') && !document.querySelector('.facets').textContent.includes('since the start')")

    def test_without_a_search_all_are_deleted(self):
        with self.serving():
            self.pushed()
            self.open()
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 5")
            self.page.click(".toolbar button", "Delete")
            self.page.element("dialog", "all records")
            self.page.click("dialog button", "Delete")
            self.page.element(".empty", "No pushes yet")
            self.assertEqual(self.left(), [])


if __name__ == "__main__":
    unittest.main()
