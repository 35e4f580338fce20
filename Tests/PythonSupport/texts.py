"""The project's documentation: the README, CONTRIBUTING, what folders hold, and the articles, each with its blocks, sections
and tables."""

import pathlib
import re

from server import ROOT

CATALOGUE = ROOT / "Sources/MockAPNS/MockAPNS.docc"
BLOCK = re.compile(
    r"^(?:<!-- (?P<mark>[^\n]*) -->\n)?```(?P<language>\w*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE
)


class Text:
    """One text, with what a test asks of it."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.name = self.path.name
        self.text = self.path.read_text()
        self.all_blocks = [match.groupdict(default="") for match in BLOCK.finditer(self.text)]
        # What is not code: links, headings and names in backquotes.
        self.prose = BLOCK.sub("", self.text)

    def blocks(self, mark):
        return [block["text"] for block in self.all_blocks if block["mark"] == mark]

    def named_blocks(self, kind):
        """The blocks with a mark of that kind and a name: name -> text."""
        marked = [(block["mark"], block["text"]) for block in self.all_blocks]
        return {mark.removeprefix(f"{kind} "): text for mark, text in marked if mark.startswith(f"{kind} ")}

    def unmarked(self, language):
        return [block["text"] for block in self.all_blocks if not block["mark"] and block["language"] == language]

    def anchors(self):
        """The names of its sections, as GitHub makes them."""
        found = []
        for heading in re.findall(r"^#+ (.*)$", self.prose, re.MULTILINE):
            name = re.sub(r"[^\w -]", "", re.sub(r"\[(.*?)\]\(.*?\)", r"\1", heading)).lower().replace(" ", "-")
            again = sum(re.fullmatch(rf"{re.escape(name)}(-\d+)?", other) is not None for other in found)
            found.append(f"{name}-{again}" if again else name)
        return found

    def links(self):
        """The targets of links and pictures that are no URLs, in Markdown and in HTML."""
        # Code in a line may look like a link.
        prose = re.sub(r"(`+)(?!`).+?\1", "code", self.prose, flags=re.DOTALL)
        targets = re.findall(r"\]\(([^)]+)\)", prose) + re.findall(r"^\[[^\]]+\]: +(\S+)", prose, re.MULTILINE)
        targets += re.findall(r'\b(?:href|src|srcset)="(.+?)"', prose)
        return [target for target in targets if not re.match(r"(https?|mailto):", target)]

    def tables(self):
        """Each table: the heading of its first column, and the cells of its rows."""
        found = []
        for table in re.findall(r"(?:^\|.*\n)+", self.prose, re.MULTILINE):
            rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
            found.append((rows[0][0], rows[2:]))
        return found

    def listed(self):
        """What stands in backquotes before the dash of each item of its lists."""
        return [name for item in re.findall(r"^- (.*?) - ", self.prose, re.MULTILINE) for name in names([item])]

    def rows(self, heading):
        """The rows of all tables whose first column has that heading."""
        found = [row for first, rows in self.tables() if first == heading for row in rows]
        assert found, f"{self.name} has no table with the column {heading}"
        return found


def names(cells):
    """What stands in backquotes in these cells."""
    return re.findall(r"`([^`]+)`", " ".join(cells))


def transcript(text):
    """The commands of a transcript, each with the output that is shown after it."""
    steps = []
    for line in text.splitlines():
        if line.startswith("$ "):
            steps.append(([line[2:]], []))
        elif not steps[-1][1] and steps[-1][0][-1].endswith("\\"):
            steps[-1][0].append(line)
        else:
            steps[-1][1].append(line)
    return [("\n".join(command), "\n".join(output)) for command, output in steps]


def masked(text):
    """Output without what differs from run to run."""
    text = re.sub(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", "ID", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "TIME", text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def shows(expected, output):
    """Whether output is what a text shows, whatever stands where that has an ellipsis."""
    pattern = ".*?".join(re.escape(part) for part in masked(expected).split("…"))
    return re.fullmatch(pattern, masked(output), re.DOTALL) is not None


README = Text(ROOT / "README.md")
CONTRIBUTING = Text(ROOT / "CONTRIBUTING.md")
CLIENTS = Text(ROOT / "Clients/README.md")
# What the folders of a folder hold: the folder's path -> its text.
FOLDERS = {
    str(path.parent.relative_to(ROOT)): Text(path)
    for pattern in ("Sources/README.md", "Sources/*/README.md", "Tests/README.md") for path in sorted(ROOT.glob(pattern))
}
ARTICLES = {
    path.stem: Text(path) for folder in (".", "Guides", "Reference") for path in sorted((CATALOGUE / folder).glob("*.md"))
}
TEXTS = [README, CONTRIBUTING, CLIENTS, *FOLDERS.values(), *ARTICLES.values()]
