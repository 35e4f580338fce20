"""The documentation: the compiler has to find nothing wrong with the Swift code in the README, CONTRIBUTING and the
articles, nor DocC with the articles and comments.

What the snippets take for granted, such as `apns` or a provider of the reader's own, stands in `GIVEN` and around them.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from server import PATIENCE, ROOT
from texts import ARTICLES, CATALOGUE, TEXTS

BUILD = ROOT / ".build/tests"
BUILT = BUILD / "release"
# One with a mark before it is part of a file that is run.
SNIPPET = re.compile(r"(?<!-->\n)^```swift\n(.*?)^```$", re.DOTALL | re.MULTILINE)
GIVEN = """
import Foundation
import MockAPNS
import MockAPNSAdmin
import MockAPNSTesting
import Testing

let url = URL(filePath: "tour.json")
let alice = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"
let offline = "{}"
struct Provider {
    init(url: String, trusting: String, signingWith: String, keyID: String, teamID: String) {}
    func push(_ text: String, to token: String, topic: String) async throws {}
}
func sendTwoScores(to url: String, trusting authority: String, signingWith key: String) async throws {}
func send(_ token: String, _ event: String, _ score: String) async throws {}
"""


def source():
    """All snippets as one file, in which each has its own place."""
    parts, count = [GIVEN], 0
    for path, text in [(text.path, text.text) for text in TEXTS]:
        for match in SNIPPET.finditer(text):
            count += 1
            place = f'#sourceLocation(file: "{path.name}", line: {text.count(chr(10), 0, match.start(1)) + 1})'
            # Blank lines keep the lines' numbers.
            code = re.sub(r"^import .*$", "", match.group(1), flags=re.MULTILINE)
            if re.search(r"^@Test\b", code, flags=re.MULTILINE):
                parts += [place, code, "#sourceLocation()"]
            else:
                given = "" if "let apns =" in code else "_ apns: MockAPNSServer"
                parts += [f"func snippet{count}({given}) async throws {{", place, code, "#sourceLocation()", "}"]
    return "\n".join(parts) + "\n", count


def flags():
    """What lets the compiler see the modules that `make build` has made."""
    checkouts = BUILD / "checkouts"
    maps = [*BUILT.glob("*.build/module.modulemap"), *checkouts.glob("*/Sources/*/include/module.modulemap"),
            *(ROOT / "Sources").glob("*/module.modulemap")]
    found = ["-I", str(BUILT / "Modules")]
    for path in maps:
        found += ["-Xcc", f"-fmodule-map-file={path}"]
    for folder in checkouts.glob("*/Sources/*/include"):
        found += ["-Xcc", "-I", "-Xcc", str(folder)]
    told = subprocess.run(["swiftc", "-print-target-info"], check=True, capture_output=True, text=True, timeout=PATIENCE)
    swift = pathlib.Path(json.loads(told.stdout)["paths"]["runtimeResourcePath"])
    return found + ["-I", str(swift / "linux/testing"), "-plugin-path", str(swift / "host/plugins/testing")]


@unittest.skipUnless(sys.platform == "linux", "the place of the module Testing is known for Linux only")
@unittest.skipUnless((BUILT / "Modules/MockAPNSAdmin.swiftmodule").exists(), "the package is built elsewhere")
class Documentation(unittest.TestCase):
    def test_they_compile(self):
        text, count = source()
        self.assertGreater(count, 5)
        file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "Snippets.swift"
        file.write_text(text)
        command = ["swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", *flags(), str(file)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_documentation_can_be_made(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        done = subprocess.run([ROOT / ".ci/docs", folder], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.check_links(folder)
        # What no list names, DocC puts into groups of its own, such as "Instance Methods".
        written = (CATALOGUE / "MockAPNS.md", CATALOGUE / "Symbols/MockAPNSServer.md")
        groups = {group for file in written for group in re.findall(r"^### (.*)$", file.read_text(), re.MULTILINE)}
        (module,) = json.loads((folder / "index/index.json").read_text())["interfaceLanguages"]["swift"]
        (server,) = [child for child in module["children"] if child["title"] == "MockAPNSServer"]
        for page in (module, server):
            shown = {child["title"] for child in page["children"] if child["type"] == "groupMarker"}
            self.assertLessEqual(shown, groups)

    def check_links(self, folder):
        """Each page of an article links to the articles that the article does, and each of its links leads somewhere."""
        data = folder / "data"
        pages = {f"/{path.relative_to(data).with_suffix('')}": path.read_text() for path in data.rglob("*.json")}
        page_of = {article.path: f"/documentation/mockapns/{name.lower()}" for name, article in ARTICLES.items()}
        page_of[CATALOGUE / "MockAPNS.md"] = "/documentation/mockapns"
        for article in ARTICLES.values():
            page = page_of[article.path]
            references = json.loads(pages[page])["references"].values()
            links = {each["url"] for each in references if "url" in each}
            linked = {(article.path.parent / link.partition("#")[0]).resolve() for link in article.links()}
            wanted = {page_of[path] for path in linked if path in page_of}
            with self.subTest(article.name):
                self.assertTrue((folder / page[1:] / "index.html").exists())
                self.assertLessEqual(wanted, {link.partition("#")[0] for link in links})
            for link in links:
                target, _, anchor = link.partition("#")
                with self.subTest(article.name, link=link):
                    if not link.startswith("https://"):
                        self.assertIn(target, set(pages))
                        self.assertTrue(not anchor or f'"anchor":"{anchor}"' in pages[target])
            pictures = [variant["url"] for each in references for variant in each.get("variants", ())]
            self.assertEqual([picture for picture in pictures if not (folder / picture[1:]).exists()], [])
            self.assertEqual(len(pictures), 2 * article.prose.count("!["), article.name)


if __name__ == "__main__":
    unittest.main()
