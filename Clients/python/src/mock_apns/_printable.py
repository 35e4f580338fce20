"""Makes the text of others safe to show, as the command does: a control character steers a terminal, a line feed begins
a line that looks like a verdict, and a bidirectional mark lets a text look like another one."""

from __future__ import annotations

import unicodedata

# What has neither a shape nor is a space: other, and separators of lines and paragraphs.
HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
# Both join letters of some scripts, and parts of emoji.
JOINERS = "\u200c\u200d"
SHORT = {"\0": r"\0", "\t": r"\t", "\n": r"\n", "\r": r"\r"}


def line(text: str) -> str:
    """The text on one line, with escapes as in Swift, `\\u{1B}` or `\\n`, for what is not printable."""
    return text if text.isprintable() else "".join(map(shown, text))


def block(text: str) -> str:
    """A text of several lines; its line feeds and tabs stay."""
    return "".join(each if each in "\n\t" else shown(each) for each in text)


def shown(character: str) -> str:
    if unicodedata.category(character) not in HIDDEN or character in JOINERS:
        return character
    value = ord(character)
    digits = 2 if value < 0x80 else 4 if value < 0x10000 else 8
    return SHORT.get(character) or f"\\u{{{value:0{digits}X}}}"
