"""The page: what it is served with, the log, and one push, in a browser."""

import gzip
import re
import unittest
import urllib.error
import urllib.request

from browser import ALICE, Keys, PageTest
from server import PATIENCE, ROOT, Server, device

FOLDER = ROOT / "Sources/MockAPNSAdmin/Page"
HOSTILE = ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "\u202eevil\u0007 ${7*7} {{1}}"]


def served(file):
    """A file without whole lines of comment, indentation and empty lines; a style sheet without blanks that mean nothing."""
    text = re.sub(r"^ */\*(?:.|\n)*?\*/$", "", file.read_text(), flags=re.MULTILINE)
    text = re.sub(r"^(?: *//.*)?\n", "", re.sub(r"^ +", "", text, flags=re.MULTILINE), flags=re.MULTILINE)
    return re.sub(r" ?([{}]) ?|([:;,]) ", r"\1\2", text) if file.suffix == ".css" else text


def fetch(url, **fields):
    request = urllib.request.Request(url, headers=fields)
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return answer, answer.read()


class Files(unittest.TestCase):
    """What is served, without a browser."""

    def test_every_file_of_the_folder_is_served_with_its_type_and_for_ever(self):
        with Server() as server:
            answer, page = fetch(server.admin + "/")
            self.assertEqual(answer.url, server.admin + "/ui/")
            version = page.decode().split("/ui/")[1].split("/")[0]
            self.assertRegex(version, "^[0-9a-f]{16}$")
            types = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
            files = [file for file in FOLDER.rglob("*") if file.suffix in types]
            for file in files:
                name = file.relative_to(FOLDER).as_posix()
                with self.subTest(name):
                    answer, content = fetch(f"{server.admin}/ui/{version}/{name}")
                    self.assertEqual(content.decode(), served(file))
                    self.assertEqual(answer.headers["Content-Type"], types[file.suffix])
                    self.assertEqual(answer.headers["Cache-Control"], "public, max-age=31536000, immutable")
                    self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
            for path in (f"{version}/nothing.js", f"{'0' * 16}/app.js", f"{version}"):
                with self.subTest(path), self.assertRaises(urllib.error.HTTPError) as failure:
                    fetch(f"{server.admin}/ui/{path}")
                self.assertEqual(failure.exception.code, 404)

    def test_every_other_address_is_the_page_with_its_policy(self):
        with Server() as server:
            for path in ("/ui/", "/ui", "/ui/pushes/123", "/ui/anything/else", "/ui/sessions/one/devices"):
                with self.subTest(path):
                    answer, page = fetch(server.admin + path)
                    self.assertEqual(answer.status, 200)
                    self.assertIn(b"<title>mock-apns</title>", page)
                    policy = answer.headers["Content-Security-Policy"]
                    for part in ("default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'",
                                 "require-trusted-types-for 'script'"):
                        self.assertIn(part, policy)
                    self.assertNotIn("unsafe", policy)
                    self.assertEqual(answer.headers["Referrer-Policy"], "no-referrer")
                    self.assertEqual(answer.headers["Cross-Origin-Opener-Policy"], "same-origin")
                    self.assertEqual(answer.headers["Cache-Control"], "no-store")

    def test_the_modules_of_every_view_are_fetched_at_once(self):
        with Server() as server:
            answer, _ = fetch(server.admin + "/ui/")
            preloaded = re.findall(r"</ui/[0-9a-f]{16}/([^>]+)>; rel=modulepreload", answer.headers["Link"])
            modules = {file.relative_to(FOLDER).as_posix() for file in FOLDER.rglob("*.js")}
            self.assertEqual(sorted(preloaded), sorted(name for name in modules if not name.startswith("views/")))

    def test_it_can_be_left_out(self):
        with Server("--no-page") as server:
            self.assertNotIn("/ui/", server.until_said("A first push"))
            for path in ("/", "/ui/", "/ui/pushes"):
                with self.subTest(path), self.assertRaises(urllib.error.HTTPError) as failure:
                    fetch(server.admin + path)
                self.assertEqual(failure.exception.code, 404)

    def test_the_banner_has_its_address(self):
        with Server() as server:
            self.assertIn(f"{server.admin}/ui/", server.until_said("A first push"))

    def test_no_file_is_too_long_and_all_together_are_small(self):
        files = [file for file in FOLDER.rglob("*") if file.is_file()]
        served_bytes = [served(file).encode() for file in sorted(files)]
        raw, packed = sum(map(len, served_bytes)), len(gzip.compress(b"".join(served_bytes), 9))
        self.assertLessEqual(raw, 120 * 1024)
        self.assertLessEqual(packed, 41_200)
        print(f"the page has {raw:,} bytes, {packed:,} with gzip")
        for file in files:
            if file.suffix == ".js":
                self.assertLessEqual(len(file.read_text().splitlines()), 300, file.name)

    def test_every_comment_has_lines_of_its_own(self):
        """So that leaving out lines of comment leaves out no code."""
        for file in FOLDER.rglob("*.*"):
            self.assertEqual(re.findall(r"^ */\*.*\*/.+$", file.read_text(), flags=re.MULTILINE), [], file.name)
            # A template over several lines could have one that looks like a comment, or begins with blanks.
            for line in served(file).splitlines():
                self.assertEqual(line.count("`") % 2, 0, f"{file.name}: {line}")

    def test_no_text_of_a_style_sheet_has_blanks(self):
        """So that leaving out blanks changes none."""
        for file in FOLDER.glob("*.css"):
            texts = re.findall(r"\"[^\"\n]*\"|'[^'\n]*'", file.read_text())
            self.assertEqual([text for text in texts if " " in text], [], file.name)

    def test_no_source_makes_markup_of_text(self):
        for file in FOLDER.rglob("*.js"):
            for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "createContextualFragment"):
                self.assertNotIn(word, file.read_text(), file.name)


class Log(PageTest):
    def test_a_push_appears_within_a_second(self):
        with self.serving():
            self.open()
            self.page.until_text(".state", "live")
            self.page.run("""
                window.seen = new Promise((resolve) => new MutationObserver(() => {
                  const row = document.querySelector('tr[data-sequence]');
                  if (row) resolve(Date.now() - Date.parse(row.querySelector('time').dateTime));
                }).observe(document, {childList: true, subtree: true}));""")
            self.assertEqual(self.provider.alert("Hello"), 200)
            delay = self.page.driver.execute_async_script("window.seen.then(arguments[0])")
            self.assertEqual(self.page.rows(), [1])
            self.assertIn("Hello", self.page.text("tr[data-sequence]"))
            self.assertIn("200 OK", self.page.text("tr[data-sequence]"))
        print(f"a push was on the page after {delay} ms")

    def test_a_link_opens_the_same_view_again(self):
        with self.serving():
            for number in range(12):
                self.provider.alert(f"Push {number}", priority=10 if number % 3 else 7)
            for path in ("pushes?status=4xx&at=4", "pushes?q=is%3Arefused+push&at=4", "pushes/4?tab=payload", "pushes/4?tab=why"):
                with self.subTest(path):
                    self.open(path)
                    self.page.until_text("section.detail, article.detail", "Push 4")
                    before = self.page.run("return document.querySelector('.panel').textContent")
                    address = self.page.driver.current_url
                    self.page.driver.refresh()
                    self.page.until("document.querySelector('.panel')?.textContent === given[0]", before)
                    self.assertEqual(self.page.driver.current_url, address)
            self.open("pushes?status=4xx")
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 4")
            self.assertEqual(self.page.rows(), [10, 7, 4, 1])
            self.page.click("button.facet", "4xx")
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 12")
            self.page.driver.back()
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 4")

    def test_the_search(self):
        with self.serving():
            self.provider.push({"aps": {"alert": {"title": "Goal!", "body": "2-1"}, "badge": 4}}, collapse_id="score")
            self.provider.push({"aps": {"alert": "no goal"}}, to=device(2))
            self.provider.push({"aps": {"content-available": 1}}, kind="background", priority=5)
            self.provider.push({"aps": {"alert": "x" * 3000}}, priority=7)
            self.open()
            for search, expected in (
                ("goal", [2, 1]), ('"no goal"', [2]), ("goal -no", [1]), ("status:400", [4]), ("status:4xx", [4]), ("-status:4xx", [3, 2, 1]),
                ("is:refused", [4]), ("is:background", [3]), ("has:collapse", [1]), ("-has:collapse goal", [2]), ("larger:2k", [4]),
                ("smaller:2k type:alert", [2, 1]), ("payload:/aps/badge>3", [1]), ("payload:/aps/badge=4", [1]), ("payload:/aps/badge<4", []),
                ("payload:/aps/alert/title", [1]), (f"token:{device(2)[:60]}", [4, 3, 2, 1]), (f"token:{device(2)}", [2]), ("reason:BadPriority", [4]),
                ("after:2020-01-01 goal", [2, 1]), ("before:2020-01-01", []), ("2-1", [1]), ("is:replaced", []),
            ):
                with self.subTest(search):
                    self.page.run("""
                        const field = document.querySelector('input[type=search]');
                        field.value = arguments[0]; field.dispatchEvent(new Event('input'));""", search)
                    self.page.until(
                        "new URLSearchParams(location.search).get('q') === given[0] && JSON.stringify(Array.from("
                        "document.querySelectorAll('tr[data-sequence]'), (row) => Number(row.dataset.sequence))) === JSON.stringify(given[1])",
                        search, expected)
            self.page.run("const f = document.querySelector('input[type=search]'); f.value = 'status:4xx is:background'; f.dispatchEvent(new Event('input'))")
            self.page.element(".empty", "Without status 4xx: 1 push")
            self.page.click(".empty button", "Clear all filters")
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 4")

    def test_the_counts_are_those_of_the_list_and_the_rate_falls_by_itself(self):
        with self.serving():
            for _ in range(10):
                self.provider.alert("by a provider")
            for _ in range(2):
                self.server.post("/api/v1/pushes", {"token": ALICE, "payload": {"aps": {"alert": "by the page"}}})
            self.open()
            self.page.element(".bar .total", "2xx 12")
            self.page.until_text(".bar .rate", "1/s")
            facet = "document.querySelector('.facet[title=\"2xx\"]')"
            self.assertEqual(self.page.run(f"return {facet}.textContent"), "2xx12")
            self.page.click(".facet[title='2xx']")
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 12")
            self.page.until(f"{facet}.ariaPressed === 'true'")
            self.page.until_text(".bar .rate", "0/s")

    def test_new_rows_never_move_what_is_selected(self):
        with self.serving():
            for number in range(3):
                self.provider.alert(f"Push {number}")
            self.open("pushes?at=2")
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 3")
            top = "document.querySelector('tr[data-sequence=\"2\"]').getBoundingClientRect().top"
            before = self.page.run(f"return {top}")
            self.provider.alert("Push 4")
            self.provider.alert("Push 5")
            self.page.element(".news", "2 new")
            self.assertEqual(self.page.rows(), [3, 2, 1])
            self.assertEqual(self.page.run(f"return {top}"), before)
            self.page.click(".news")
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 5")

    def test_nothing_of_a_payload_becomes_markup(self):
        with self.serving():
            for text in HOSTILE:
                self.provider.push(
                    {"aps": {"alert": {"title": text, "subtitle": text, "body": text, "loc-key": text}, "category": text, "thread-id": text,
                             "sound": text, "interruption-level": text}, text: {text: [text]}},
                    collapse_id=text[:20].encode("ascii", "ignore").decode())
            self.provider.push(HOSTILE[1].encode())
            self.open("pushes")
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 4")
            self.assertEqual(self.page.run("return document.querySelectorAll('main img, main script, main b').length"), 0)
            for sequence in range(1, 5):
                for tab in ("summary", "payload", "headers", "why", "copy"):
                    self.open(f"pushes/{sequence}?tab={tab}")
                    self.page.element("[role=tabpanel]")
                    self.page.until_text("h1", f"Push {sequence}")
                    self.assertEqual(self.page.run("return document.querySelectorAll('main img, main script').length"), 0)
            self.open("pushes/3?tab=payload")
            self.page.until_text("[role=tabpanel]", "evil")
            # Control characters are seen, and what turns the direction of a text stays within it.
            self.assertEqual(self.page.run("return getComputedStyle(document.querySelector('.json.string')).unicodeBidi"), "isolate")

    def test_another_session_has_a_page_of_its_own(self):
        with self.serving():
            self.server.post("/api/v1/sessions", {"name": "one"})
            self.provider.alert("Hello")
            self.open("sessions/one/pushes")
            self.page.element(".empty", "No pushes yet")
            self.assertIn("one", self.page.text(".brand"))
            self.open("pushes")
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 1")

    def test_where_there_is_nothing_it_says_how_to_begin(self):
        with self.serving():
            self.open()
            self.page.until_text(".empty", self.server.ready["topic"])
            self.assertIn("curl", self.page.text(".empty pre"))
            self.open("pushes/99")
            self.page.element(".detail", "not in the log")
            self.page.complaints()  # 404 of the record
            self.open("nothing/here")
            self.page.element(".empty", "There is nothing here")

    def test_the_token_is_asked_for_once(self):
        with self.serving("--admin-token", "s3cret"):
            self.page.open(self.server.admin)
            self.page.element("dialog", "requires a token")
            self.page.type("s3cret", Keys.ENTER)
            self.page.until_text(".state", "live")
            self.provider.alert("Hello")
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 1")
            self.page.driver.refresh()
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 1")
            self.page.complaints()  # the 401 of the first call


class Offline(PageTest):
    """Nothing is asked of anybody but the server."""

    options = ("--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",)

    def test_no_request_leaves_the_machine(self):
        with self.serving():
            self.provider.push({"aps": {"alert": {"title": "Hello", "body": "x"}}, "attachment-url": "https://example.com/x.png"})
            self.page.requested()
            for path in ("pushes?at=1", "pushes/1?tab=payload", "pushes/1?tab=copy"):
                self.open(path)
                self.page.element("[role=tabpanel]")
            asked = [url for url in self.page.requested() if not url.startswith(("data:", "about:", "chrome"))]
            self.assertTrue(asked)
            self.assertEqual([url for url in asked if not url.startswith(self.server.admin + "/")], [])


if __name__ == "__main__":
    unittest.main()
