"""The list of the log holds still for who points at it, says when things were, and finds the push of the address."""

import contextlib
import itertools
import threading
import time
import unittest

from selenium.webdriver.common.action_chains import ActionChains

from browser import ALICE, Keys, PageTest, Provider
from server import Server, device, until

ROWS = "Array.from(document.querySelectorAll('tr[data-sequence]'), (row) => Number(row.dataset.sequence))"
NEWEST = "Math.max(...Array.from(document.querySelectorAll('tr[data-sequence]'), (row) => Number(row.dataset.sequence)))"
# How long a pointer that rests holds the list, in seconds; a busy machine may take longer to click.
REST = 3
CELLS = "Array.from(document.querySelectorAll(given[0]), (cell) => cell.textContent)"


class ListTest(PageTest):
    @contextlib.contextmanager
    def pushing(self, rate):
        """Pushes all the time, this many each second."""
        stop = threading.Event()

        def push():
            with Provider(self.server) as provider:
                for number in range(100_000):
                    provider.alert(f"Push {number} at {rate}/s")
                    if stop.wait(1 / rate):
                        return

        thread = threading.Thread(target=push)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def row(self, number):
        return self.page.driver.find_elements("css selector", "tr[data-sequence]")[number]

    def point(self, x, y, *, click=False):
        """Moves the pointer to a place of the window, in one step; then it may click."""
        actions = ActionChains(self.page.driver, duration=0)
        actions.w3c_actions.pointer_action.move_to_location(x, y)
        if click:
            actions.w3c_actions.pointer_action.click()
        actions.perform()

    def leave(self):
        """Moves the pointer out of the window, by way of its corner."""
        self.point(1, 1)
        self.page.run("document.documentElement.dispatchEvent(new PointerEvent('pointerleave', {pointerType: 'mouse'}))")

    def let_in(self):
        """Lets in what waits above the list, if something does."""
        self.page.until("(document.querySelector('.news:not([hidden])')?.click(), document.querySelector('.news').hidden)")

    def place(self, css, number=0):
        """The middle of an element."""
        return self.page.run("""
            const {x, y, width, height} = document.querySelectorAll(arguments[0])[arguments[1]].getBoundingClientRect();
            return [Math.round(x + width / 2), Math.round(y + height / 2)];""", css, number)


class Still(ListTest):
    def test_every_click_opens_the_row_aimed_at(self):
        for rate, clicks in ((2, 6), (5, 8), (10, 8), (25, 12)):
            with self.subTest(rate), self.serving():
                for number in range(30):
                    self.provider.alert(f"Before {number}")
                self.open()
                self.page.until_text(".state", "live")
                with self.pushing(rate):
                    hits = 0
                    for turn in range(clicks):
                        began, (x, y), aimed = self.aim(turn, waiting=1 + rate // 10)
                        self.point(x, y + 1, click=True)
                        took = time.monotonic() - began
                        opened = self.page.until("new URLSearchParams(location.search).get('at')")
                        if opened == aimed:
                            hits += 1
                        else:
                            self.assertGreater(took, REST, f"{opened} instead of {aimed}: click {turn + 1} at {rate}/s")
                        self.page.click(".detail button", "✕")
                        self.let_in()
                    self.assertGreater(hits, 0, f"no click at {rate}/s hit in {REST} s")

    def aim(self, turn, waiting):
        """Points at a row until so many pushes wait above: who aims takes the time in which another one or two arrive. Returns
        when it began, where it points, and at what."""
        for _ in range(5):
            # The pointer comes from elsewhere, and finds the list moving.
            self.leave()
            newest = self.page.run(f"return {NEWEST}")
            self.page.until(f"{NEWEST} > given[0]", newest)
            x, y = self.place("tr[data-sequence]", turn)
            began = time.monotonic()
            self.point(x, y)
            aimed, newest = self.page.run(
                f"return [document.elementFromPoint(...arguments).closest('tr').dataset.sequence, {NEWEST}]", x, y)
            seen = self.page.until(
                f"parseInt(document.querySelector('.news:not([hidden])')?.textContent) >= given[0] ? 'waiting' : {NEWEST} > given[1] && 'moved'",
                waiting, newest)
            if seen == "waiting":
                return began, (x, y), aimed
            self.assertGreater(time.monotonic() - began, REST, "the list did not wait")
        self.fail("no pushes came while the list waited")

    def test_the_list_waits_for_a_pointer_on_its_way(self):
        aimed = """
            window.aimed = null;
            const [x, y] = arguments;
            // What was let in before the pointer moved may not be drawn yet.
            addEventListener('pointermove', () => requestAnimationFrame(() => requestAnimationFrame(() => {
              window.aimed = document.elementFromPoint(x, y).closest('tr').dataset.sequence;
            })), {once: true, capture: true});"""
        with self.serving():
            for number in range(30):
                self.provider.alert(f"Before {number}")
            self.open()
            self.page.until_text(".state", "live")
            with self.pushing(25):
                for turn in range(12):
                    self.leave()
                    newest = self.page.run(f"return {NEWEST}")
                    self.page.until(f"{NEWEST} > given[0]", newest)
                    # From the search, or from the header after a view was chosen there.
                    (left, top), (x, y) = self.place(["input[type=search]", ".brand"][turn % 2]), self.place("tr[data-sequence]", turn)
                    self.page.run(aimed, x, y)
                    actions = ActionChains(self.page.driver, duration=30)
                    for step in range(9):
                        actions.w3c_actions.pointer_action.move_to_location(left + (x - left) * step // 8, top + (y - top) * step // 8)
                    actions.w3c_actions.pointer_action.click()
                    actions.perform()
                    opened = self.page.until("new URLSearchParams(location.search).get('at')")
                    self.assertEqual(opened, self.page.until("window.aimed"), f"click {turn + 1}")
                    self.page.click(".detail button", "✕")
                    self.let_in()

    def test_new_rows_wait_above_and_move_nothing(self):
        with self.serving():
            for number in range(5):
                self.provider.alert(f"Push {number}")
            self.open()
            self.page.until(f"{ROWS}.length === 5")
            self.page.until_text(".state", "live")
            top = "document.querySelector('tr[data-sequence=\"5\"]').getBoundingClientRect().top"
            before = self.page.run(f"return {top}")
            x, y = self.place("tr[data-sequence]", 2)
            self.point(x, y)
            self.provider.alert("waits")
            self.page.element(".news", "1 new")
            self.assertEqual(self.page.run(f"return {top}"), before)
            self.assertTrue(self.page.run("return document.querySelector('.news').getBoundingClientRect().bottom <= document.querySelector('.log').getBoundingClientRect().top"))
            # A pointer that rests does not hold them any more, nor does one that has left.
            self.page.until(f"{ROWS}.length === 6")
            self.point(x, y + 2)
            self.provider.alert("waits, too")
            self.page.element(".news", "1 new")
            self.leave()
            self.page.until(f"{ROWS}.length === 7 && document.querySelector('.news').hidden")
            # One that moves elsewhere may be on its way to a row.
            self.point(*self.place(".brand"))
            self.provider.alert("waits, as well")
            turns = itertools.count()
            until(lambda: self.point(300 + next(turns) % 2, 10) or self.page.run("return document.querySelector('.news').textContent === '1 new'"),
                  lambda: "it did not wait")
            self.page.until(f"{ROWS}.length === 8 && document.querySelector('.news').hidden")

    def test_a_row_with_focus_holds_the_list(self):
        with self.serving():
            for number in range(3):
                self.provider.alert(f"Push {number}")
            self.open()
            self.page.until(f"{ROWS}.length === 3")
            self.page.until_text(".state", "live")
            self.page.run("document.querySelector('tr[data-sequence=\"3\"]').focus()")
            self.provider.alert("waits")
            self.page.element(".news", "1 new")
            self.assertEqual(self.page.run(f"return {ROWS}"), [3, 2, 1])
            self.page.run("document.querySelector('.brand').focus()")
            self.page.until(f"{ROWS}.length === 4")
            # What waits is let in by a click, also if a push is selected.
            self.open("pushes?at=2")
            self.page.until(f"{ROWS}.length === 4")
            self.provider.alert("waits")
            self.page.click(".news")
            self.page.until(f"{ROWS}.length === 5")


    def test_escape_lets_new_rows_in(self):
        """Also if a row has focus, which stays."""
        focused = "document.activeElement.dataset.sequence"
        with self.serving():
            for number in range(3):
                self.provider.alert(f"Push {number}")
            self.open("pushes?at=2")
            self.page.until(f"{ROWS}.length === 3")
            self.page.until_text(".state", "live")
            self.page.element(".detail h2", "Push 2")
            self.page.type(Keys.ESCAPE)
            self.page.until(f"document.querySelector('.detail').hidden && {focused} === '2'")
            self.provider.alert("waits")
            self.page.element(".news", "1 new")
            self.page.type(Keys.ESCAPE)
            self.page.until(f"{ROWS}.length === 4 && document.querySelector('.news').hidden && {focused} === '2'")
            self.provider.alert("does not wait")
            self.page.until(f"{ROWS}.length === 5 && {focused} === '2'")
            # Who goes to a row again has it hold the list.
            self.page.run("document.querySelector('tr[data-sequence=\"3\"]').focus()")
            self.provider.alert("waits again")
            self.page.element(".news", "1 new")
            self.assertEqual(self.page.run(f"return {ROWS}"), [5, 4, 3, 2, 1])


class Times(ListTest):
    def test_times_of_the_day_with_the_distance_to_the_row_below(self):
        with self.serving():
            for number in range(3):
                self.provider.alert(f"Push {number}", collapse_id="a" if number == 1 else "b")
            self.open()
            self.page.until(f"{ROWS}.length === 3")
            times = [each["time"] for each in self.server.get("/api/v1/requests?order=desc")["requests"]]
            self.page.until(f"JSON.stringify({CELLS}) === JSON.stringify(given[1])", ".c1 time", [time[11:-1] for time in times])
            milliseconds = [int(time[17:19] + time[20:23]) for time in times]
            distances = [f"+{(later - earlier) % 60_000} ms" for later, earlier in zip(milliseconds, milliseconds[1:])]
            self.assertEqual(self.page.run(f"const given = arguments; return {CELLS}", ".distance"), [*distances, ""])
            # In a group, the row below is the attempt before.
            self.open("pushes?group=collapseID")
            self.page.until(f"JSON.stringify({ROWS}) === '[3,1,2]'")
            self.page.until(f"JSON.stringify({CELLS}) === JSON.stringify(given[1])", ".distance", [f"+{(milliseconds[0] - milliseconds[2]) % 60_000} ms", "", ""])
            self.page.click("button", "ago")
            self.page.until("document.querySelector('.c1 time').textContent === 'now' || document.querySelector('.c1 time').textContent.endsWith('ago')")
            self.page.driver.refresh()
            self.page.until("document.querySelector('.c1 time').textContent.endsWith(' ago')")
            self.page.click("button", "ago")
            self.page.until("document.querySelector('.c1 time').textContent === given[0]", times[0][11:-1])

    def test_numbers_are_as_wide_as_they_are_drawn(self):
        with self.serving() as server:
            server.post("/api/v1/pushes", {"token": ALICE, "payload": {"aps": {"badge": 1}}, "repeat": 1000})
            for number in range(4):
                self.provider.alert(f"Push {number}")
            self.open()
            self.page.until(f"{NEWEST} === 1004")
            self.page.until("document.querySelector('td.c0').scrollWidth <= document.querySelector('td.c0').clientWidth")
            spare = """(() => {
                const cell = document.querySelector('td.c0'), range = document.createRange();
                range.selectNodeContents(cell);
                return cell.clientWidth - range.getBoundingClientRect().width; })()"""
            # As wide as what it holds, also if the list was hidden at first.
            self.page.until(f"{spare} > -0.5 && {spare} < 2")


class Address(ListTest):
    def test_a_push_among_others_with_longer_names_is_in_sight(self):
        """Its neighbors make the columns wider, which are measured while the list goes there."""
        with self.serving() as server:
            for number in range(60):
                server.post("/api/v1/devices", {"name": f"device with a longer name {number}" + "x" * (number // 4), "token": device(number)})
                self.provider.alert("x", to=device(number))
            server.post("/api/v1/pushes", {"token": ALICE, "payload": {"aps": {"alert": "x"}}, "repeat": 100})
            self.open("pushes?at=30")
            self.page.element("tr[data-sequence='30'][aria-selected=true]")
            self.page.until("""(() => {
                const row = document.querySelector('tr[data-sequence="30"]').getBoundingClientRect(), list = document.querySelector('.scroll').getBoundingClientRect();
                return row.top > list.top + 100 && row.bottom < list.bottom - 100; })()""")

    def test_the_push_of_the_address_is_marked_and_keys_go_on_from_it(self):
        with self.serving() as server:
            server.post("/api/v1/pushes", {"token": ALICE, "payload": {"aps": {"alert": "x"}}, "repeat": 1000})
            for address in ("pushes?at=250", "pushes?q=topic:com.example.app&at=250"):
                with self.subTest(address):
                    self.open(address)
                    self.page.element("tr[data-sequence='250'][aria-selected=true]")
                    self.assertTrue(self.page.run("""
                        const row = document.querySelector('tr[data-sequence="250"]').getBoundingClientRect(), list = document.querySelector('.scroll').getBoundingClientRect();
                        return row.top > list.top + 100 && row.bottom < list.bottom - 100;"""))
                    self.page.type("j")
                    self.page.element("tr[data-sequence='249'][aria-selected=true]")
                    self.page.type("kk")
                    self.page.element("tr[data-sequence='251'][aria-selected=true]")

    def test_a_push_far_from_those_in_the_list_is_read_with_its_neighbors(self):
        with self.serving() as server:
            for _ in range(7):
                server.post("/api/v1/pushes", {"token": ALICE, "payload": {"aps": {"alert": "x"}}, "repeat": 1000})
            self.open("pushes?at=123")
            self.page.element("tr[data-sequence='123'][aria-selected=true]")
            self.page.type("j")
            self.page.element("tr[data-sequence='122'][aria-selected=true]")

    def test_the_last_key_reads_older_rows(self):
        with self.serving() as server:
            server.post("/api/v1/pushes", {"token": ALICE, "payload": {"aps": {"alert": "x"}}, "repeat": 300})
            self.open("pushes?at=101")
            self.page.element("tr[data-sequence='101'][aria-selected=true]")
            self.page.type("j")
            self.page.element("tr[data-sequence='100'][aria-selected=true]")

    def test_an_unknown_group_is_none(self):
        with self.serving():
            self.provider.alert("x")
            self.open("pushes?group=nonsense")
            self.page.until(f"JSON.stringify({ROWS}) === '[1]'")
            self.assertEqual(self.page.run("const s = document.querySelector('select[aria-label=Group]'); return s.selectedOptions[0].textContent"), "Not grouped")


class Focus(ListTest):
    def test_focus_returns_to_the_row_when_its_push_is_closed(self):
        focused = "document.activeElement.dataset.sequence"
        with self.serving():
            for number in range(3):
                self.provider.alert(f"Push {number}")
            self.open()
            self.page.until(f"{ROWS}.length === 3")
            for close in ("✕", Keys.ESCAPE, "tab"):
                with self.subTest(close):
                    self.point(*self.place("tr[data-sequence='2']"), click=True)
                    self.page.element(".detail h2", "Push 2")
                    if close == "✕":
                        self.page.run("document.querySelector('#close').focus(); document.activeElement.click()")
                    elif close == "tab":
                        self.page.run("document.querySelector('.detail [role=tab]').focus()")
                        self.page.type(Keys.ESCAPE)
                    else:
                        self.page.type(close)
                    self.page.until("document.querySelector('.detail').hidden")
                    self.page.until(f"{focused} === '2'")


class Columns(ListTest):
    changes_tabs = True

    def test_the_end_of_a_long_topic_can_be_read(self):
        with self.serving():
            self.provider.alert("Hello", topic="com.example.a-very-long-name-of-a-company-that-is-wider-than-any-column.chess.voip")
            self.open()
            self.page.element("td.c5", "chess.voip")
            head, tail = self.page.run("""return Array.from(document.querySelector('td.c5 .tailed').children, (each) =>
                [each.scrollWidth > each.clientWidth, each.getBoundingClientRect().right <= document.querySelector('td.c5').getBoundingClientRect().right])""")
            self.assertEqual([head, tail], [[True, True], [False, True]])

    def test_answers_have_one_line_in_a_wide_window(self):
        lines = "Array.from(document.querySelectorAll('tr[data-sequence] .status span'), (each) => each.getClientRects().length && each.offsetHeight / parseFloat(getComputedStyle(each).lineHeight))"
        with self.serving():
            for reason in ("TooManyProviderTokenUpdates", "DeviceTokenNotForTopic"):
                self.server.post("/api/v1/rules", {"name": reason, "times": 1, "then": {"reject": reason}})
                self.provider.alert("Hello", topic="com.example.app")
            self.page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 1920, "height": 1000, "deviceScaleFactor": 1, "mobile": False})
            for address in ("pushes", "pushes?at=2"):
                self.open(address)
                self.page.until(f"{ROWS}.length === 2")
                self.page.until(f"{lines}.every((each) => each > 0 && each < 1.5)")


class Unreachable(ListTest):
    def test_a_click_while_the_server_is_gone_shows_what_the_row_says(self):
        with Server() as server, Provider(server) as provider:
            provider.push({"aps": {"alert": {"title": "Goal", "body": "2-1"}}}, collapse_id="game-7", priority=7)
            provider.alert("second", to=device(2))
            self.page.open(f"{server.admin}/ui/")
            self.page.until(f"{ROWS}.length === 2")
        self.page.element(".banner", "Server unreachable")
        self.page.run("document.querySelector('tr[data-sequence=\"1\"]').click()")
        self.page.element(".detail h2", "Push 1")
        said = self.page.text(".detail")
        for part in ("400 BadPriority", "Goal", "game-7", "com.example.app", "server is unreachable"):
            self.assertIn(part, said)
        self.page.complaints()  # what could not be read

    def test_a_row_whose_record_is_gone_shows_what_is_known_and_why(self):
        with self.serving("--log-limit", "1000") as server:
            self.provider.push({"aps": {"alert": "first of all"}}, collapse_id="game-7")
            self.open()
            self.page.until(f"{ROWS}.length === 1")
            self.page.until_text(".state", "live")
            # Which holds the list for as long as the pushes take.
            self.page.run("document.querySelector('tr[data-sequence=\"1\"]').focus()")
            for _ in range(4):
                server.post("/api/v1/pushes", {"token": ALICE, "payload": {"aps": {"badge": 1}}, "repeat": 1000})
            self.page.click('tr[data-sequence="1"]')
            self.page.element(".detail", "--log-limit")
            self.assertIn("first of all", self.page.text(".detail"))
            self.assertIn("game-7", self.page.text(".detail"))
            self.open("nothing/here")
            self.page.element(".empty", "There is nothing here")
            self.page.complaints()  # 404 of the record


class Fonts(ListTest):
    changes_tabs = True

    def test_the_reader_chooses_the_size_of_text(self):
        with self.serving():
            self.provider.alert("Hello")
            sizes = []
            for size in (16, 24):
                self.page.driver.execute_cdp_cmd("Page.setFontSizes", {"fontSizes": {"standard": size, "fixed": 13}})
                self.open("pushes?at=1")
                self.page.element(".detail [role=tabpanel]")
                sizes.append(self.page.run("""
                    const of = (css) => parseFloat(getComputedStyle(document.querySelector(css)).fontSize);
                    return [of('body'), of('td.c6'), of('.detail h2'), document.querySelector('tr[data-sequence]').offsetHeight];"""))
            for small, large in zip(*sizes):
                self.assertAlmostEqual(large / small, 1.5, delta=0.03)


if __name__ == "__main__":
    unittest.main()
