"use strict";

// What a provider sends could steer a terminal, or look like a verdict. As in the command, escapes show what is not printable.

// Control and format characters, surrogates, what is unassigned, and separators of lines and paragraphs, but not the two
// joiners, which are parts of emoji.
const HIDDEN = /(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/gu;
const SHORT = { "\0": "\\0", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

function escape(character) {
  const value = character.codePointAt(0);
  const digits = value < 0x80 ? 2 : value < 0x10000 ? 4 : 8;
  return SHORT[character] ?? `\\u{${value.toString(16).toUpperCase().padStart(digits, "0")}}`;
}

/** A text on one line. */
const line = (text) => String(text).replace(HIDDEN, escape);

/** A text of several lines; its line feeds and tabs stay. */
const block = (text) => String(text).replace(HIDDEN, (each) => (each === "\n" || each === "\t" ? each : escape(each)));

module.exports = { line, block };
