// A text area for JSON: line numbers, mistakes in their lines, and keys that are possible where the cursor is.

import { call, fill, h, throttled } from '../base.js';

/** No key has this name, so that the check lists those that there are. */
const NOBODY = 'zzNobodyHasThiszz';
/** Spaces of one level. */
const INDENT = '  ';

/** `changed()` is called after each edit; without it, the text is read-only. */
export function editor(label, changed) {
  const numbers = h('pre.numbers', { 'aria-hidden': 'true' });
  const marks = h('div.line-marks', { 'aria-hidden': 'true' });
  const options = h('ul.completions', { role: 'listbox', id: 'completions', label: 'Keys', hidden: true });
  const area = h('textarea.editor', {
    rows: 24, spellcheck: 'false', wrap: 'off', label, readonly: !changed, 'aria-describedby': 'mistakes', 'aria-autocomplete': 'list', 'aria-controls': 'completions',
    oninput() {
      draw();
      changed();
      suggestSoon();
    },
    onscroll() {
      place();
      close();
    },
    onkeydown: changed && onkeydown, onblur: () => close(), onclick: () => close(),
  });
  const element = h('div.editing', numbers, h('div.written', marks, area, options));
  let mistakes = [];
  let lines = 0;
  /** What is offered, for the piece of a key from `start` on; and which is chosen. */
  let offer = { keys: [], start: 0, chosen: 0 };
  let turn = 0;
  /** What stood before the cursor when the user asked for the keys. */
  let asked = null;

  function draw() {
    const number = area.value.split('\n').length;
    if (number !== lines) {
      lines = number;
      numbers.textContent = `${Array.from({ length: number }, (_, index) => index + 1).join('\n')}\n`;
    }
    mark();
  }
  /** Sizes of a line and of a letter, which are all the same. */
  const sizes = () => {
    const style = getComputedStyle(area);
    return { line: parseFloat(style.lineHeight), top: parseFloat(style.paddingTop), left: parseFloat(style.paddingLeft) };
  };
  function place() {
    numbers.scrollTop = area.scrollTop;
    const { line, top, left } = sizes();
    for (const each of marks.children) {
      each.style.top = `${top + (each.dataset.line - 1) * line - area.scrollTop}px`;
      each.style.left = `${left - area.scrollLeft}px`;
    }
  }
  /** Each line with a mistake, and what the first is, after its end. */
  function mark() {
    const written = area.value.split('\n');
    const byLine = Map.groupBy(mistakes, ({ line }) => line);
    fill(marks, [...byLine].map(([line, [{ message }]]) => h('p', { 'data-line': line },
      h('span.written-text', written[line - 1] ?? ''), h('span.message', `✕ ${message}`))));
    place();
  }

  const suggestSoon = throttled(() => suggest(), 200);
  const soFar = () => area.value.slice(0, area.selectionStart);
  async function suggest() {
    const before = soFar();
    const piece = keyAt(before, before === asked);
    if (!piece || document.activeElement !== area) return close();
    const mine = ++turn;
    const { mistakes: found } = await call('POST', '/scenario/check', piece.question);
    if (mine !== turn || soFar() !== before) return null;
    const { message = '' } = found.find(({ message }) => message.includes(NOBODY)) ?? {};
    const keys = [...(message.split('expected ')[1] ?? '').matchAll(/"([^"]+)"/g)].map(([, key]) => key)
      .filter((key) => key.toLowerCase().includes(piece.text.toLowerCase()) && key !== piece.text && !piece.others.includes(key));
    offer = { keys: keys.toSorted((one, other) => other.startsWith(piece.text) - one.startsWith(piece.text)), start: piece.start, chosen: 0 };
    return show(before);
  }
  function show(before) {
    options.hidden = !offer.keys.length;
    if (options.hidden) return close();
    area.setAttribute('aria-activedescendant', `completion-${offer.chosen}`);
    fill(options, offer.keys.map((key, index) => h('li', {
      role: 'option', id: `completion-${index}`, 'aria-selected': index === offer.chosen, onpointerdown: (event) => {
        event.preventDefault();
        take(index);
      },
    }, key)));
    const { line, top, left } = sizes();
    const rows = before.split('\n');
    options.style.top = `${top + rows.length * line - area.scrollTop}px`;
    options.style.left = `calc(${left - area.scrollLeft}px + ${Math.max(0, rows.at(-1).length - 1)}ch)`;
    options.children[offer.chosen].scrollIntoView({ block: 'nearest' });
    return null;
  }
  function close() {
    turn += 1;
    offer.keys = [];
    options.hidden = true;
    area.removeAttribute('aria-activedescendant');
  }
  /** Writes a key as if it were typed, so that it can be undone. */
  function take(index) {
    const key = offer.keys[index];
    const { start } = offer;
    const rest = area.value.slice(area.selectionStart);
    const [closing] = /^[\w$]*"?(\s*:)?/.exec(rest);
    area.setSelectionRange(start, area.selectionStart + closing.length);
    close();
    document.execCommand('insertText', false, `"${key}": `);
    close();
  }
  function onkeydown(event) {
    const { key } = event;
    if (key === ' ' && event.ctrlKey) {
      event.preventDefault();
      asked = soFar();
      return suggest();
    }
    if (options.hidden) return key === 'Enter' && !event.ctrlKey && !event.metaKey ? indent(event) : null;
    const act = {
      ArrowDown: () => choose(1), ArrowUp: () => choose(-1), Enter: () => take(offer.chosen), Tab: () => take(offer.chosen), Escape: close,
    }[event.ctrlKey || event.metaKey || event.shiftKey ? '' : key];
    if (!act) return null;
    event.preventDefault();
    return act();
  }
  function choose(step) {
    offer.chosen = (offer.chosen + step + offer.keys.length) % offer.keys.length;
    show(soFar());
  }
  /** A new line begins where the one before does, or deeper after a bracket. */
  function indent(event) {
    const line = soFar().split('\n').at(-1);
    event.preventDefault();
    document.execCommand('insertText', false, `\n${/^\s*/.exec(line)[0]}${/[[{]\s*$/.test(line) ? INDENT : ''}`);
  }

  return {
    element,
    get text() {
      return area.value;
    },
    set text(text) {
      area.value = text;
      mistakes = [];
      lines = 0;
      draw();
    },
    /** What is wrong, by line and column. */
    tell(found) {
      mistakes = found;
      area.setAttribute('aria-invalid', found.length > 0);
      mark();
    },
    /** Puts the cursor where a mistake is. */
    show({ line, column }) {
      const before = area.value.split('\n').slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + column - 1;
      area.focus();
      area.setSelectionRange(before, before + 1);
      area.scrollTop = Math.max(0, (line - 5) * sizes().line);
    },
  };
}

/**
 * The key of an object that is being written at the end of a text: its piece, where that starts, keys that the object has, and
 * the text as JSON with an unknown key in its place. Null where no key can be.
 */
function keyAt(text, isWanted) {
  /** Open brackets; an object has the keys that it has so far, and whether a key comes next. */
  const open = [];
  let string = null;
  for (let index = 0; index < text.length; index += 1) {
    const letter = text[index];
    const inside = open.at(-1);
    if (string) {
      if (letter === '\\') index += 1;
      else if (letter === '"') {
        if (string.isKey) inside.keys.push(text.slice(string.start + 1, index));
        string = null;
      }
    } else if (letter === '"') string = { start: index, isKey: inside?.isKeyNext };
    else if (letter === '{') open.push({ end: '}', keys: [], isKeyNext: true });
    else if (letter === '[') open.push({ end: ']', keys: [] });
    else if (letter === '}' || letter === ']') open.pop();
    else if (inside?.end === '}' && (letter === ':' || letter === ',')) inside.isKeyNext = letter === ',';
  }
  const object = open.at(-1);
  const isStart = isWanted && !string && object?.isKeyNext && /[{,]\s*$/.test(text);
  if (!object || !(string?.isKey || isStart)) return null;
  const start = string ? string.start : text.length;
  const question = `${text.slice(0, start)}${JSON.stringify(NOBODY)}: 0${open.toReversed().map(({ end }) => end).join('')}`;
  return { start, text: string ? text.slice(start + 1) : '', others: object.keys, question };
}
