"""The page: what it is served with, the log, and one push, in a browser."""

import gzip
import re
import shutil
import subprocess
import unittest
import urllib.error
import urllib.request

from browser import ALICE, Keys, PageTest
from server import PATIENCE, ROOT, TOPIC, Server, device

FOLDER = ROOT / "Sources/MockAPNSAdmin/Page"
MADE = ROOT / "Sources/CMockPage"
FILES = {"app.css": "text/css; charset=utf-8", "app.js": "text/javascript; charset=utf-8"}
HOSTILE = ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "\u202eevil\u0007 ${7*7} {{1}}"]


def fetch(url, encoding="gzip"):
    request = urllib.request.Request(url, headers={"Accept-Encoding": encoding} if encoding else {})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return answer, answer.read()


class Files(unittest.TestCase):
    """What is served, without a browser."""

    def folder(self, server):
        """The address below which the files are."""
        answer, page = fetch(server.admin + "/")
        self.assertEqual(answer.url, server.admin + "/ui/")
        found = set(re.findall(r'"(/ui/[0-9a-f]{16})/([^"]+)"', page.decode()))
        self.assertEqual({name for _, name in found}, set(FILES))
        (folder,) = {folder for folder, _ in found}
        return server.admin + folder

    def test_files_have_their_types_and_are_cached_forever(self):
        with Server() as server:
            folder = self.folder(server)
            for name, kind in FILES.items():
                with self.subTest(name):
                    answer, content = fetch(f"{folder}/{name}", encoding="br, gzip")
                    self.assertEqual(content, (MADE / f"{name}.gz").read_bytes())
                    self.assertEqual(answer.headers["Content-Encoding"], "gzip")
                    self.assertEqual(answer.headers["Vary"], "Accept-Encoding")
                    for other in (None, "br, gzip;q=0"):
                        plain, content = fetch(f"{folder}/{name}", encoding=other)
                        self.assertEqual(content, (MADE / name).read_bytes())
                        self.assertIsNone(plain.headers["Content-Encoding"])
                        self.assertEqual(plain.headers["Vary"], "Accept-Encoding")
                    self.assertEqual(answer.headers["Content-Type"], kind)
                    self.assertEqual(answer.headers["Cache-Control"], "public, max-age=31536000, immutable")
                    self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
            for url in (f"{folder}/nothing.js", f"{server.admin}/ui/{'0' * 16}/app.js", folder):
                with self.subTest(url), self.assertRaises(urllib.error.HTTPError) as failure:
                    fetch(url)
                self.assertEqual(failure.exception.code, 404)

    def test_other_addresses_serve_the_page_with_its_policy(self):
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

    def test_what_is_served_was_made_of_the_sources(self):
        for tool in ("esbuild", "terser"):
            if not shutil.which(tool):
                self.skipTest(f"{tool} is not installed")
        done = subprocess.run([ROOT / ".ci/page", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        print(done.stdout)

    def test_sources_are_short_and_small_in_total(self):
        page = (FOLDER / "index.html").read_bytes()
        packed = [(MADE / f"{name}.gz").read_bytes() for name in FILES]
        raw = len(page) + sum(len(gzip.decompress(each)) for each in packed)
        small = len(gzip.compress(page, 9)) + sum(map(len, packed))
        print(f"the page has {raw:,} bytes, {small:,} with gzip")
        self.assertLessEqual(raw, 200_000)
        self.assertLessEqual(small, 61_440)
        for file in FOLDER.rglob("*.js"):
            self.assertLessEqual(len(file.read_text().splitlines()), 300, file.name)

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

    def searched(self, search, expected):
        """Searches, and waits for the pushes that are to be found."""
        self.page.run("""
            const field = document.querySelector('input[type=search]');
            field.value = arguments[0]; field.dispatchEvent(new Event('input'));""", search)
        self.page.until(
            "new URLSearchParams(location.search).get('q') === given[0] && JSON.stringify(Array.from("
            "document.querySelectorAll('tr[data-sequence]'), (row) => Number(row.dataset.sequence))) === JSON.stringify(given[1])",
            search, expected)

    def test_a_word_finds_a_push_by_anything_that_is_known_of_it(self):
        with self.serving():
            self.provider.push({"aps": {"alert": "one"}}, collapse_id="score")
            self.provider.push({"aps": {"alert": "two"}}, priority=7)
            self.provider.push({"aps": {"alert": "three"}}, to=device(2))
            first = self.server.get("/api/v1/requests/1")
            self.open()
            for search, expected in (
                ("BadPriority", [2]), ("400", [2]), ("score", [1]), (TOPIC, [3, 2, 1]), (device(2), [3]), (first["apnsID"][:8], [1]),
                (first["apnsID"].lower(), [1]), ("httpx", [3, 2, 1]), ("status:200,400 -two", [3, 1]), ("agent:httpx", [3, 2, 1]), ("THREE", [3]),
            ):
                with self.subTest(search):
                    self.searched(search, expected)

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
                ("after:2020-01-01 goal", [2, 1]), ("before:2020-01-01", []), ("2-1", [1]), ("is:replaced", []), ("#2", [2]), ("-#2", [4, 3, 1]),
            ):
                with self.subTest(search):
                    self.searched(search, expected)
            self.page.run("const f = document.querySelector('input[type=search]'); f.value = 'status:4xx is:background'; f.dispatchEvent(new Event('input'))")
            self.page.element(".empty", "Without status 4xx: 1 push")
            # Times and what was replaced are counted, too.
            for search, counts in {"before:2020-01-01": ["before 2020-01-01: 4 pushes"], "before:2020-01-01 is:replaced goal": [
                    "before 2020-01-01: 0 pushes", "replaced: 0 pushes", "goal: 0 pushes"], "is:replaced goal": ["replaced: 2 pushes", "goal: 0 pushes"]}.items():
                with self.subTest(search):
                    self.page.run("const f = document.querySelector('input[type=search]'); f.value = arguments[0]; f.dispatchEvent(new Event('input'))", search)
                    self.page.until("JSON.stringify(Array.from(document.querySelectorAll('.empty li'), (each) => each.textContent)) === JSON.stringify(given[0])",
                                    [f"Without {each}" for each in counts])
            self.page.click(".empty button", "Clear all filters")
            self.page.until("document.querySelectorAll('tr[data-sequence]').length === 4")

    def test_counts_match_the_list_and_idle_rates_fall(self):
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

    def test_empty_views_say_how_to_begin(self):
        with self.serving():
            self.open()
            self.page.until_text(".empty", self.server.ready["topic"])
            self.assertIn("curl", self.page.text(".empty pre"))
            self.open("pushes/99")
            self.page.element(".detail", "not in the log")
            self.open("nothing/here")
            self.page.element(".empty", "There is nothing here")
            self.page.complaints()  # 404 of the record, and of its row

    def test_it_warns_when_other_machines_can_use_it(self):
        for options, is_told in ((["--admin-host", "0.0.0.0"], True), (["--admin-host", "0.0.0.0", "--admin-token", "s3cret"], False), ([], False)):
            with self.subTest(options), self.serving(*options):
                self.page.open(f"{self.server.admin}/ui/")
                if "--admin-token" in options:
                    self.page.element("dialog", "requires a token")
                    self.page.type("s3cret", Keys.ENTER)
                self.page.element(".bar .session", "sandbox")
                self.assertEqual(self.page.run("return document.querySelectorAll('.banner:not([hidden])').length"), int(is_told))
                if is_told:
                    self.page.element(".banner", "--admin-token prevents it")
                    self.page.click(".banner button")
                    self.page.driver.refresh()
                    self.page.element(".bar .session", "sandbox")
                    self.assertTrue(self.page.run("return document.querySelectorAll('.banner:not([hidden])').length === 0"))
                self.page.complaints()  # the 401 of the first call

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

    logs_requests = True
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
