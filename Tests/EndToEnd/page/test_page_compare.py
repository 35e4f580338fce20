"""Two pushes side by side: marked, chosen, from the address, and with the previous attempt."""

import unittest

from browser import ALICE, Keys, PageTest
from server import TOPIC

ID = "78851bc1-9565-2614-14b9-6dcd668f593c"
CELLS = """Object.fromEntries(Array.from(document.querySelectorAll('.compared tbody tr:not(:has(.rowgroup))'), (row) =>
  [row.cells[0].textContent, Array.from(row.cells).slice(1).map((cell) => cell.innerText.replace(/added:|removed:/, '').replace(/\\s+/g, ' ').trim())]))"""


class Compare(PageTest):
    def attempts(self):
        """Two attempts of one push, the first refused, and one that has nothing to do with them."""
        self.server.post("/api/v1/rules", {"name": "busy", "times": 1, "then": {"reject": "TooManyRequests"}})
        alert = {"title": "Goal!", "body": "1-0"}
        self.provider.push({"aps": {"alert": alert, "badge": 3, "sound": "x"}}, id=ID, collapse_id="score")
        self.provider.alert("another", to="ab" * 32)
        self.provider.push({"aps": {"alert": {**alert, "body": "<b>2-0</b>"}, "badge": 4}, "a/b": [{"c": None}]}, id=ID, collapse_id="score")

    def compared(self, heading):
        self.page.until_text(".detail h2", heading)
        self.page.element(".compared td")
        return self.page.run(f"return {CELLS}")

    def test_a_link_shows_what_differs_by_field_and_pointer(self):
        with self.serving():
            self.attempts()
            self.open("pushes?at=3&with=1")
            cells = self.compared("1 | 3 · +")
            self.assertEqual({name: cells[name] for name in ("status", "reason", "decidedBy", "/aps/alert/body", "/aps/badge", "/aps/sound", "/a~1b/0/c")}, {
                "status": ["− 429", "+ 200"], "reason": ["− TooManyRequests", "none"], "decidedBy": ["− rule:busy", "+ checks"],
                "/aps/alert/body": ["− 1-0", "+ <b>2-0</b>"], "/aps/badge": ["− 3", "+ 4"], "/aps/sound": ["− x", "none"], "/a~1b/0/c": ["none", "+ null"],
            })
            # What is equal, and what every push has of its own, is not there.
            self.assertEqual({"topic", "collapseID", "/aps/alert/title", "sequence", "time", "uniqueID"} & cells.keys(), set())
            self.page.click(".panel label", "Only differences")
            self.page.until("location.search.includes('all=1') && document.querySelector('.compared').textContent.includes('Goal!')")
            self.assertEqual(self.page.run(f"return {CELLS}")["/aps/alert/title"], ["Goal!", "Goal!"])
            self.page.driver.refresh()
            self.page.element(".compared", "Goal!")
            self.page.click(".panel button", "Swap")
            self.page.until_text(".detail h2", "3 | 1 · −")
            self.page.click(".panel button", "End")
            self.page.until("document.querySelector('.detail h2').textContent === 'Push 1' && location.search === '?at=1'")

    def test_one_click_compares_with_the_previous_attempt(self):
        with self.serving():
            self.attempts()
            self.provider.alert("other id", collapse_id="score")
            self.open("pushes?at=3")
            self.page.click(".detail button", "Compare")
            self.compared("1 | 3 · +")
            self.assertIn("with=1", self.page.run("return location.search"))
            # Without another attempt, the same collapse id for the same token.
            self.open("pushes/4")
            self.page.click(".detail button", "Compare")
            self.page.until_text(".detail h1", "3 | 4 · +")
            self.page.until("location.pathname.endsWith('/pushes/4') && location.search === '?with=3'")
            self.page.type(Keys.ESCAPE)
            self.page.until("location.pathname.endsWith('/pushes/4') && location.search === '' && document.querySelector('.detail h1').textContent === 'Push 4'")
            self.open("pushes?at=2")
            self.page.click(".detail button", "Compare")
            self.page.element(".toast", "No push before it has the same apns-id.")

    def test_one_click_or_key_compares_with_what_worked(self):
        with self.serving():
            self.provider.alert("worked")
            self.provider.alert("worked for another", to="ab" * 32)
            self.provider.push({"aps": {"content-available": 1}}, kind="background", priority=5)
            self.provider.alert("refused", priority=7)
            self.open("pushes?at=4")
            self.page.click(".detail button", "What worked?")
            cells = self.compared("1 | 4 · +")
            # A value that is none is told as well.
            self.assertEqual((cells["reason"], cells["apns-priority"]), (["none", "+ BadPriority"], ["none", "+ 7"]))
            # Without one of the same type, the last of its device; without any before it, the latest.
            self.provider.push({"aps": {}}, kind="nonsense", topic=f"{TOPIC}.other")
            self.open("pushes/5")
            self.page.element(".detail h1", "Push 5")
            self.page.type("w")
            self.page.until_text(".detail h1", "3 | 5 · +")
            # What worked offers nothing of that kind.
            self.open("pushes/1")
            self.page.element(".detail button", "Compare")
            self.assertNotIn("What worked?", self.page.text(".detail"))
            # The key compares it with another one.
            self.page.type("w")
            self.page.until("new URLSearchParams(location.search).get('with') === '2'")

    def test_what_worked_is_the_attempt_that_was_accepted(self):
        with self.serving():
            self.provider.alert("before it, to the same device")
            self.attempts()
            self.open("pushes?at=2")
            self.page.click(".detail button", "What worked?")
            self.compared("4 | 2 · −")

    def test_nothing_worked_so_far(self):
        with self.serving():
            self.provider.alert("refused", priority=7)
            self.open("pushes?at=1")
            self.page.click(".detail button", "What worked?")
            self.page.element(".toast", "No such push was accepted.")
            # The next one does.
            self.provider.alert("worked")
            self.page.click(".detail button", "What worked?")
            self.compared("2 | 1 · −")

    def test_by_mark_and_by_control_click(self):
        with self.serving():
            self.attempts()
            self.open("pushes?at=1")
            self.page.element(".detail h2", "Push 1")
            self.page.type("m")
            self.page.element(".detail [role=status]", "Marked")
            self.page.until("document.querySelector('tr[data-sequence=\"1\"]').matches('.marked') && document.querySelector('tr[data-sequence=\"1\"]').ariaDescription === 'marked'")
            self.page.type("k")
            self.compared("1 | 2 · +")
            self.page.type("k")
            self.compared("1 | 3 · +")
            # Esc ends the comparison, and then closes the panel.
            self.page.type(Keys.ESCAPE)
            self.page.element(".detail h2", "Push 3")
            self.page.run("document.querySelector('tr[data-sequence=\"2\"]').dispatchEvent(new MouseEvent('click', {bubbles: true, ctrlKey: true}))")
            self.compared("3 | 2 · −")
            self.page.until("location.search === '?at=2&with=3'")
            # The same without keys.
            self.page.click(".panel button", "End")
            self.page.click(".detail button", "Mark")
            self.page.until("document.querySelector('#mark').ariaPressed === 'true' && document.querySelector('#mark').matches(':focus, *')")
            self.page.click("tr[data-sequence='1']")
            self.compared("2 | 1 · −")

    def test_a_mark_stays_while_the_search_changes(self):
        marked = "document.querySelector('tr[data-sequence=\"1\"]')?.matches('.marked')"
        with self.serving():
            self.attempts()
            self.open("pushes?at=1")
            self.page.element(".detail h2", "Push 1")
            self.page.type("m")
            self.page.element(".detail [role=status]", "Marked")
            search = "const f = document.querySelector('input[type=search]'); f.value = arguments[0]; f.dispatchEvent(new Event('input'))"
            self.page.run(search, "Goal")
            self.page.until(f"location.search.includes('q=Goal') && document.querySelector('.detail').hidden && {marked}")
            self.page.element(".note", "Push 1 is marked.")
            self.page.click(".facets button.facet", "checks")
            self.page.until("location.search.includes('checks') && JSON.stringify(Array.from(document.querySelectorAll('tr[data-sequence]'), (row) => row.dataset.sequence)) === '[\"3\"]'")
            self.page.run(search, "nothing of that")
            self.page.element(".empty button", "Clear")
            self.page.click(".empty button", "Clear")
            self.page.until(f"document.querySelectorAll('tr[data-sequence]').length === 3 && {marked}")
            self.page.click("tr[data-sequence='3']")
            self.compared("1 | 3 · +")
            # A comparison ends with another search.
            self.page.run(search, "Goal")
            self.page.until("location.search === '?q=Goal'")
            # So does a mark with Escape, and the search stays.
            self.page.click("tr[data-sequence='3']")
            self.page.element(".detail h2", "Push 3")
            self.page.type("m")
            self.page.element(".detail [role=status]", "Marked")
            self.page.click(".facets button.facet", "checks")
            self.page.element(".note", "Push 3 is marked.")
            self.page.run("document.activeElement.blur()")
            self.page.type(Keys.ESCAPE)
            self.page.until("!location.search.includes('with') && location.search.includes('q=Goal') && !document.querySelector('.marked') && !document.querySelector('.note').textContent.includes('marked')")

    def test_a_marked_push_that_is_gone_is_said(self):
        with self.serving():
            self.provider.alert("here", to=ALICE)
            self.open("pushes?at=1&with=99")
            self.page.element(".detail [role=status]", "Push 99 is not in the log.")
            self.assertEqual(self.page.text(".detail h2"), "Push 1")
            self.page.complaints()  # 404 of the record


if __name__ == "__main__":
    unittest.main()
