"""Links, pictures and length of everything in Markdown: each relative link leads somewhere in the repository, so that the texts
read well wherever the repository is read. `.ci/docc-links` makes DocC's links of them, and fails where it cannot.
"""

import json
import pathlib
import re
import subprocess
import tempfile
import unittest

from server import PATIENCE, ROOT
from texts import ARTICLES, CATALOGUE, CONTRIBUTING, README, TEXTS, Text

# How a link of DocC begins.
DOCC = "<" + "doc:"
ARTICLE_LIMIT = 400


def tracked():
    """The files of the repository, with those that are about to be added."""
    command = ["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    told = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE)
    # A file that was removed, but not from the index, is listed too.
    return [file for name in told.stdout.split("\0") if name and (file := ROOT / name).is_file()]


@unittest.skipUnless((ROOT / ".git").exists(), "the repository is elsewhere, so its files are not known")
class Links(unittest.TestCase):
    def test_each_leads_somewhere(self):
        files = tracked()
        there = {*files, *(folder for file in files for folder in file.parents)}
        texts = {file: Text(file) for file in files if file.suffix == ".md"}
        self.assertLessEqual({text.path for text in TEXTS}, set(texts))
        count = 0
        for path, text in texts.items():
            for link in text.links():
                count += 1
                with self.subTest(str(path.relative_to(ROOT)), link=link):
                    target, _, anchor = link.partition("#")
                    file = (path.parent / target).resolve() if target else path
                    self.assertIn(file, there)
                    if anchor:
                        self.assertIn(anchor, texts[file].anchors())
        self.assertGreater(count, 300)

    def test_none_is_for_docc_alone(self):
        self.assertEqual([str(file) for file in tracked() if DOCC.encode() in file.read_bytes()], [])
        for text in ARTICLES.values():
            with self.subTest(text.name):
                # The title of the catalogue's first page names the module in DocC's way.
                self.assertNotRegex(text.prose.partition("\n")[2], r"``\w")


class LinksOfTheSite(unittest.TestCase):
    """What `.ci/docc-links` makes of links."""

    def made(self, article):
        """Makes a catalogue with this article for DocC. Returns the exit code, what was said, and the article."""
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="mock-apns-links-")))
        catalogue = folder / "A.docc"
        (catalogue / "Guides").mkdir(parents=True)
        (catalogue / "Resources").mkdir()
        (catalogue / "Resources/page@2x.png").touch()
        (catalogue / "Guides/Other.md").write_text("# Other\n\n### What's `new`, and what is not\n")
        (catalogue / "Mine.md").write_text(article)
        (folder / "push.sh").touch()
        symbols = [{"pathComponents": path.split("."), "identifier": {"precise": str(number)}}
                   for number, path in enumerate(["Server", "Server.stop()", "Server.push(_:)", "Server.push(_:)"])]
        (folder / "symbols").mkdir()
        (folder / "symbols/A.json").write_text(json.dumps({"symbols": symbols}))
        done = subprocess.run([ROOT / ".ci/docc-links", "A.docc", "symbols", "out"], cwd=folder, capture_output=True, text=True,
                              timeout=PATIENCE)
        return done.returncode, done.stderr, (folder / "out/Mine.md").read_text()

    def test_each_kind(self):
        other = "Guides/Other.md"
        for source, wanted in [
            (f"[Other]({other})", "[Other](doc:Other)"),
            (f"see [the\nother]({other})", "see [the\nother](doc:Other)"),
            (f"[`new`]({other}#whats-new-and-what-is-not)", "[`new`](doc:Other#Whats-new-and-what-is-not)"),
            ("# Mine\n\n## My part\n\n[Above](#my-part)", "# Mine\n\n## My part\n\n[Above](doc:Mine#My-part)"),
            ("[A](https://example.com/a)", "[A](https://example.com/a)"),
            ("![A page](Resources/page@2x.png)", "![A page](page)"),
            ("[push.sh](../push.sh)", "`push.sh`"),
            ("[a script](../push.sh)", "a script"),
            ("`Server.stop()` of `Server`", "``Server/stop()`` of ``Server``"),
            ("`Server.push(_:)` is two, `Client.stop()` none", "`Server.push(_:)` is two, `Client.stop()` none"),
            (f"`[Other]({other})`", f"`[Other]({other})`"),
            (f"```text\n[Other]({other})\n```", f"```text\n[Other]({other})\n```"),
            (f"# Mine\n\n## Topics\n\n- [Other]({other})\n- `Server`", f"# Mine\n\n## Topics\n\n- {DOCC}Other>\n- ``Server``"),
        ]:
            with self.subTest(source):
                self.assertEqual(self.made(source), (0, "", wanted))

    def test_a_link_that_leads_nowhere(self):
        for target in ("None.md", "Guides/Other.md#none", "#none", "Resources/none.png", "../none.sh", "../../push.sh"):
            with self.subTest(target):
                code, said, _ = self.made(f"[A]({target})")
                self.assertEqual((code, said), (1, f"Mine.md: the link {target} leads nowhere\n"))

    def test_a_name_of_no_symbol(self):
        self.assertEqual(self.made("`Server.gone`")[:2], (1, "Mine.md: Server.gone is no symbol\n"))


class Contents(unittest.TestCase):
    def test_pictures(self):
        """Each is small, there for light and dark, shown somewhere, and described where it is shown."""
        shown = set()
        for text in ARTICLES.values():
            for alternative, target in re.findall(r"!\[(.*?)\]\((.+?)\)", text.text):
                with self.subTest(text.name, picture=target):
                    name = re.fullmatch(r"\.\./Resources/([a-z-]+)@2x\.png", target)[1]
                    self.assertGreater(len(alternative), 20)
                    shown |= {f"{name}@2x.png", f"{name}~dark@2x.png"}
        folder = CATALOGUE / "Resources"
        self.assertEqual({file.name for file in folder.iterdir()}, shown)
        for file in folder.iterdir():
            self.assertLess(file.stat().st_size, 80_000, file.name)
        self.assertEqual(len(re.findall(r'\b(?:src|srcset)="(.+?)"', README.text)), 2)
        self.assertRegex(README.text, r'<img [^>]*alt="[^"]{20,}"')

    def test_every_article_is_in_the_contents(self):
        listed = re.findall(r"^- \[(.+)\]\(\w+/(\w+)\.md\)$", ARTICLES["MockAPNS"].text, re.MULTILINE)
        self.assertEqual({name for _, name in listed}, set(ARTICLES) - {"MockAPNS"})
        for title, name in listed:
            self.assertEqual(ARTICLES[name].text.partition("\n")[0], f"# {title}")

    def test_the_readme_leads_to_every_article(self):
        linked = {pathlib.Path(link).stem for link in README.links() if CATALOGUE.name in link and link.endswith(".md")}
        # One article goes on in others, whose names begin with its own: Lint in LintAlerts.
        parts = {name for name in ARTICLES for other in linked if name != other and name.startswith(other)}
        self.assertEqual(linked, set(ARTICLES) - {"MockAPNS"} - parts)
        for name in parts:
            (whole,) = [other for other in linked if name.startswith(other)]
            self.assertIn(f"{name}.md", {link.partition("#")[0] for link in ARTICLES[whole].links()})

    def test_no_address_of_this_project(self):
        """From a clone on, everything is relative: there is no address to be found at."""
        for file in [*(text.path for text in TEXTS), ROOT / "Dockerfile", ROOT / "Package.swift"]:
            with self.subTest(file.name):
                self.assertNotIn("github.com/mock-apns", file.read_text())

    def test_they_are_short(self):
        for text, limit in [(README, 150), (CONTRIBUTING, 150), *((text, ARTICLE_LIMIT) for text in ARTICLES.values())]:
            with self.subTest(text.name):
                self.assertLessEqual(text.text.count("\n"), limit)


if __name__ == "__main__":
    unittest.main()
