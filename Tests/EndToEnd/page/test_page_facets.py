"""What the search offers: facets with their counts, completion below the field, and what a mistaken key meant."""

import unittest

import test_page_access
from browser import ALICE, Keys, PageTest
from server import TOPIC, device

ROWS = "JSON.stringify(Array.from(document.querySelectorAll('tr[data-sequence]'), (row) => Number(row.dataset.sequence)))"
FACETS = """JSON.stringify(Object.fromEntries(Array.from(document.querySelectorAll('.facets section'), (each) =>
  [each.querySelector('h2').textContent, Array.from(each.querySelectorAll('button.facet'), (facet) => facet.textContent)])))"""
OPTIONS = "JSON.stringify(Array.from(document.querySelectorAll('[role=option]'), (each) => each.innerText.trim().split(/\\s*\\n\\s*/)))"


class Found(PageTest):
    def pushed(self):
        self.server.post("/api/v1/devices", {"name": "alice", "token": ALICE})
        self.server.post("/api/v1/devices", {"name": "bob, jr", "token": device(2)})
        self.server.post("/api/v1/rules", {"name": "busy", "when": {"collapseID": "busy"}, "then": {"reject": "TooManyRequests"}})
        self.provider.alert("goal")
        self.provider.alert("goal", to=device(2))
        self.provider.alert("goal", priority=7)
        self.provider.alert("goal", collapse_id="busy")
        self.provider.push({"aps": {"content-available": 1}}, kind="background", priority=5)
        self.provider.push({"aps": {"alert": "call"}}, kind="voip", topic=f"{TOPIC}.voip")

    def facets(self, **expected):
        self.page.until(f"(() => {{ const all = JSON.parse({FACETS}); return Object.entries(given[0]).every(([name, values]) => JSON.stringify(all[name] ?? []) === JSON.stringify(values)); }})()",
                        {name.replace("_", " "): values for name, values in expected.items()})

    def choose(self, css, text):
        self.page.click(f".facets {css}", text)

    def type_in(self, text):
        self.page.run("document.querySelector('input[type=search]').focus()")
        self.page.type(text)

    def offered(self, *expected):
        self.page.until(f"{OPTIONS} === JSON.stringify(given[0])", list(expected))


class Facets(Found):
    def test_counts_are_those_of_the_search(self):
        with self.serving():
            self.pushed()
            self.open()
            self.facets(Answer=["2xx4", "4xx2"], Reason=["BadPriority1", "TooManyRequests1"], Device=["alice5", "bob, jr1"], Type=["alert4", "background1", "voip1"],
                        Topic=[f"{TOPIC}5", f"{TOPIC}.voip1"], Decided_by=["checks5", "rule:busy1"])
            self.page.run("const f = document.querySelector('input[type=search]'); f.value = 'goal'; f.dispatchEvent(new Event('input'))")
            self.facets(Answer=["2xx2", "4xx2"], Device=["alice3", "bob, jr1"], Type=["alert4"], Topic=[f"{TOPIC}4"], Decided_by=["checks3", "rule:busy1"])

    def test_several_values_of_a_kind_and_those_left_out(self):
        with self.serving():
            self.pushed()
            self.open()
            self.page.until(f"{ROWS} === '[6,5,4,3,2,1]'")
            self.choose("button.facet", "background")
            self.page.until(f"{ROWS} === '[5]'")
            # Its other values can still be chosen.
            self.facets(Type=["alert4", "background1", "voip1"], Answer=["2xx1"])
            self.choose("button.facet", "voip")
            self.page.until(f"{ROWS} === '[6,5]' && location.search === '?pushType=background&pushType=voip'")
            self.page.driver.refresh()
            self.page.until(f"{ROWS} === '[6,5]'")
            self.page.until("Array.from(document.querySelectorAll('.facets button[aria-pressed=true]'), (each) => each.title).join() === 'background,voip'")
            self.choose("[aria-label='Not voip']", "not")
            self.page.until(f"{ROWS} === '[5]' && location.search === '?pushType=background&-pushType=voip'")
            self.page.click(".chip button[aria-label='Remove the filter type background']")
            self.page.until(f"{ROWS} === '[5,4,3,2,1]'")
            self.choose("[aria-label='Not checks']", "not")
            self.page.until(f"{ROWS} === '[4]'")
            # Names with spaces and commas, and several of these.
            self.open("pushes")
            self.choose("button.facet", "bob, jr")
            self.page.until(f"{ROWS} === '[2]'")
            self.choose("button.facet", "alice")
            self.page.until(f"{ROWS} === '[6,5,4,3,2,1]' && location.search.includes('device=alice')")
            self.page.until("document.activeElement.title === 'alice' || document.activeElement.matches('body, main, tr')")

    def test_the_end_of_a_topic_stays_in_sight(self):
        with self.serving():
            for end in ("chess.voip", "draughts.voip"):
                self.provider.push({"aps": {"alert": "x"}}, kind="voip", topic=f"com.example.a-very-long-name-of-a-company.{end}")
            self.open()
            self.page.until("document.querySelectorAll('.facets .tailed').length === 2")
            hidden = self.page.run("""return Array.from(document.querySelectorAll('.facets .tailed'), ({firstChild: head, lastChild: tail}) =>
                [tail.textContent, tail.scrollWidth > tail.clientWidth + 1, head.scrollWidth > head.clientWidth])""")
            self.assertEqual(sorted(hidden), [["chess.voip", False, True], ["draughts.voip", False, True]])


# Ends the stream when `cut` is called, and holds what is found again until `answer` is.
HELD = """
const ask = window.fetch;
let stream, isCut = false;
const held = new Promise((resolve) => { window.answer = resolve; });
window.cut = () => { isCut = true; stream.abort(); };
window.fetch = async (url, options = {}) => {
  if (String(url).includes('/events?')) {
    stream = new AbortController();
    return ask(url, {...options, signal: AbortSignal.any([options.signal, stream.signal])});
  }
  const answer = await ask(url, options);
  if (!isCut || !String(url).includes('/requests/find')) return answer;
  window.isHeld = true;
  await held;
  return answer;
};"""


class Exact(Found):
    changes_tabs = True

    def test_exact_counts_stay_exact_when_rows_come_while_others_are_read(self):
        self.page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": HELD})
        with self.serving():
            self.provider.alert("first of all", to="abc")
            for _ in range(250):
                self.provider.alert("x", to="def")
            self.open()
            # Of all pushes, not only of those whose rows are there.
            self.facets(Token=["def250", "abc1"])
            self.page.until_text(".state", "live")
            self.page.run("window.cut()")
            self.page.until("window.isHeld && document.querySelector('.state').textContent.includes('live')")
            self.provider.alert("x", to="def")
            self.facets(Token=["def251", "abc1"])
            self.page.run("window.answer()")
            self.provider.alert("x", to="def")
            self.facets(Token=["def252", "abc1"])


class Completion(Found):
    def test_keys_and_values_with_their_counts(self):
        with self.serving():
            self.pushed()
            self.open()
            self.facets(Device=["alice5", "bob, jr1"])
            self.type_in("rea")
            self.offered(["reason:", "why it was refused"])
            self.page.type(Keys.ARROW_DOWN)
            self.page.until("document.activeElement.getAttribute('aria-activedescendant') === document.querySelector('[role=option][aria-selected=true]').id")
            self.page.type(Keys.ENTER)
            self.offered(["BadPriority", "1"], ["TooManyRequests", "1"])
            self.page.type("too", Keys.ARROW_DOWN, Keys.ENTER)
            self.page.until(f"{ROWS} === '[4]' && document.activeElement.value === 'reason:TooManyRequests '")
            # A word completes to what there is; Esc closes the list, and then empties the field.
            self.page.type("ali")
            self.offered(["alice", "device", "5"])
            self.page.type(Keys.ESCAPE)
            self.page.until("document.querySelector('.completion').hidden && document.activeElement.ariaExpanded === 'false' && document.activeElement.value.endsWith('ali')")
            self.page.type(Keys.ESCAPE)
            self.page.until("document.querySelector('input[type=search]').value === '' && location.search === ''")
            # Values in quotation marks, and a second one; by mouse.
            self.type_in("-device:al,bo")
            self.offered(["bob, jr", "1"])
            self.page.click("[role=option]", "bob")
            self.page.until("document.activeElement.value === '-device:al,\"bob, jr\" '")
            # A name that is not whole finds nothing, and is no mistake.
            self.page.element(".chip", "not device al or bob, jr")
            self.assertEqual(self.page.run("return document.querySelectorAll('.chip.wrong').length"), 0)

    def test_escape_removes_facets_like_words(self):
        with self.serving():
            self.pushed()
            self.open("pushes?reason=TooManyRequests&q=a&group=token")
            self.page.element(".chip", "TooManyRequests")
            self.page.run("document.activeElement.blur()")
            self.page.type(Keys.ESCAPE)
            self.page.until("!document.querySelector('.chips .chip') && location.search === '?group=token'")

    def test_the_number_of_a_push_is_left_out_of_a_match(self):
        with self.serving():
            self.pushed()
            self.open("pushes?q=%232")
            self.page.element(".chips .chip", "#2")
            self.page.until(f"{ROWS} === '[2]'")
            self.page.click(".chips button", "As MATCH")
            self.page.element("dialog p", "numbers of pushes")
            self.assertNotIn("body", self.page.text("dialog pre"))

    def test_nothing_is_offered_twice(self):
        with self.serving():
            self.pushed()
            self.open()
            self.facets(Device=["alice5", "bob, jr1"])
            # A rule has a key of its own.
            self.type_in("busy")
            self.offered(["busy", "rule", "1"])
            self.page.type(Keys.ESCAPE, Keys.ESCAPE)
            # What is listed already is no value to add.
            self.type_in('device:"bob, jr",')
            self.offered(["alice", "5"])
            self.page.type(Keys.ESCAPE, Keys.ESCAPE)
            self.type_in("is:refused,")
            self.page.until("!document.querySelector('[role=option]')?.textContent.includes('refused')")

    def test_the_list_has_names_and_leaves_enter_alone(self):
        with self.serving():
            self.pushed()
            self.open()
            self.page.until(f"{ROWS} === '[6,5,4,3,2,1]'")
            self.type_in("i")
            self.offered(["id:", "apns-id"], ["is:", "a quality"])
            self.assertEqual(self.page.run(test_page_access.CHECK), [])
            self.page.type(Keys.ENTER)
            self.page.until("document.querySelector('.completion').hidden && !document.activeElement.matches('input')")

    def test_a_list_that_is_being_written_is_not_asked_for(self):
        """The server refuses it."""
        with self.serving():
            self.pushed()
            self.open()
            self.page.until(f"{ROWS} === '[6,5,4,3,2,1]'")
            self.type_in("-device:al,")
            self.page.element(".chips .wrong", "-device:al,: needs a value")
            self.page.type("bo")
            self.page.element(".chip", "not device al or bo")
            self.page.until(f"{ROWS} === '[6,5,4,3,2,1]'")

    def test_a_mistaken_key_says_what_was_meant(self):
        with self.serving():
            self.pushed()
            for typed, meant in (("stauts:4xx", "status:4xx"), ("-Device:alice", "-device:alice"), ("pushtype:voip", "type:voip"), ("apnsid:1", "id:1"), ("dev:alice", "device:alice")):
                with self.subTest(typed):
                    self.open()
                    self.page.run("const f = document.querySelector('input[type=search]'); f.value = arguments[0]; f.dispatchEvent(new Event('input'))", f"{typed} -nothing")
                    self.page.element(".chip.wrong", f"No key “{typed.split(':')[0]}”. Did you mean {meant}?")
                    self.page.click(".chip.wrong button", meant)
                    self.page.until("document.querySelector('input[type=search]').value === given[0] && !document.querySelector('.chip.wrong')", f"{meant} -nothing")
            # What is like no key is a word.
            self.open("pushes?q=https://example.com")
            self.page.element(".chip", "https://example.com")
            self.assertEqual(self.page.run("return document.querySelectorAll('.chip.wrong').length"), 0)


if __name__ == "__main__":
    unittest.main()
