// Elements. Text is only ever set as text: nothing here, and nothing elsewhere, makes markup of a string.

const SVG = 'http://www.w3.org/2000/svg';

const SYMBOLS = 0x2400;

/** Text as it can be shown: control characters are seen, line ends stay. */
const visible = (text) => text.replace(/[\0-\t\v-\x1f\x7f]/g, (letter) => String.fromCharCode(SYMBOLS + (letter === '\x7f' ? 0x21 : letter.charCodeAt(0))));

const there = (children) => children.flat(Infinity).filter((child) => child || child === 0).map((child) => (typeof child === 'string' ? visible(child) : child));

/** Replaces all that an element holds; lists are flattened, and what is null, false or empty is left out. */
export const fill = (element, ...children) => element.replaceChildren(...there(children));

/** The same, and what had focus has it again: the button or link of the same name; if it is gone, the view. */
export function refill(element, ...children) {
  const { activeElement } = document;
  const words = (each) => each.ariaLabel || each.title || each.textContent;
  const said = element.contains(activeElement) && words(activeElement);
  fill(element, ...children);
  if (said) ([...element.querySelectorAll('button, a')].find((each) => words(each) === said) ?? document.getElementById('main')).focus();
}

/** A form stays on the page: what it sends goes to the API. */
const submitting = (act) => (event) => {
  event.preventDefault();
  return act(event);
};

const maker = (create) => (tag, ...content) => {
  const [name, ...classes] = tag.split('.');
  const element = create(name);
  const attributes = content[0]?.constructor === Object ? content.shift() : {};
  if (classes.length) element.setAttribute('class', classes.join(' '));
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || (value === false && !key.startsWith('aria-'))) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), key === 'onsubmit' ? submitting(value) : value);
    else if (key === 'value') element.value = value;
    else if (key === 'label') element.setAttribute('aria-label', value);
    else if (key === 'class') element.className += ` ${value}`;
    else element.setAttribute(key, value);
  }
  element.append(...there(content));
  return element;
};

/** An element: `h('p.muted', 'Found ', link)`, `h('input', { label: 'Name', oninput: look })`; the label is what screen readers say. */
export const h = maker((name) => document.createElement(name));

/** The same in SVG. */
export const svg = maker((name) => document.createElementNS(SVG, name));

/** One of the shapes of index.html, which says nothing to screen readers. */
export const icon = (name) => svg('svg.icon', { viewBox: '0 0 16 16', 'aria-hidden': 'true' }, svg('use', { href: `#i-${name}` }));

export const button = (label, act, attributes = {}) => h('button', { type: 'button', onclick: act, ...attributes }, label);

/** A button with a sign for a label, which needs words for those who do not see it. */
export const sign = (letter, words, act, attributes = {}) =>
  button(letter, act, { class: 'quiet', label: words, title: words, ...attributes });

let isAway = false;

/** Whether the server cannot be reached: what asks it for something is disabled then, and says why. */
export function away(is) {
  isAway = is;
  document.body.classList.toggle('away', is);
  document.querySelectorAll('[data-asks]').forEach(judge);
}

function judge(element) {
  const { asks, not } = element.dataset;
  element.disabled = isAway || Boolean(not);
  element.title = isAway ? 'Server unreachable' : not || asks;
}

/** Makes an action impossible for a reason, or possible again, without one. */
export function forbid(element, reason = '') {
  element.dataset.not = reason;
  judge(element);
}

/** A button that asks the server for something. */
export function action(label, act, { title = '', ...attributes } = {}) {
  const element = button(label, act, { 'data-asks': title, ...attributes });
  judge(element);
  return element;
}

export const link = (href, label, attributes = {}) => h('a', { href, ...attributes }, label);

/** A text as it was written, which can be scrolled. */
export const code = (text, attributes = {}) => h('pre.code', { tabindex: '0', ...attributes }, text);

/** A field with its name above it. */
export const field = (name, element) => h('label.field', h('span', name), element);

/** A field for what is no prose. */
export const input = (attributes = {}) => h('input', { spellcheck: 'false', autocomplete: 'off', ...attributes });

export const check = (label, element) => h('label.check', element, label);

/** A list to choose from; an option is a text, or a value and a text. */
export const select = (options, attributes = {}) =>
  h('select', attributes, options.map((option) => (Array.isArray(option) ? h('option', { value: option[0] }, option[1]) : h('option', option))));

/** Terms and what they are; those without a value are left out. */
export const facts = (pairs) => h('dl.facts', pairs.filter(([, value]) => value || value === 0).map(([term, value]) => [h('dt', term), h('dd', value)]));

/** A table whose first cells name their rows; it can be scrolled by itself. */
export const grid = (name, columns, rows) => h('div.wide', { tabindex: '0', role: 'region', label: name },
  h('table.plain', h('thead', h('tr', columns.map((column) => h('th', { scope: 'col' }, column)))),
    h('tbody', rows.map(([first, ...cells]) => h('tr', h('th', { scope: 'row' }, first), cells.map((cell) => h('td', cell)))))));

/** A page of sections, with its heading and what stands beside that. */
export const page = (title, beside, ...content) => h('div.page', h('div.toolbar', h('h1', title), beside), content);

export const section = (title, ...content) => h('section', h('h2', title), content);

/** Keys by which focus goes from one link of a list to the next; Enter opens it, as it does with links. */
export function stepping(list, links) {
  const step = (by) => {
    const all = [...list.querySelectorAll(links)];
    all[Math.max(0, Math.min(all.length - 1, all.indexOf(document.activeElement) + by))]?.focus();
  };
  return { j: () => step(1), k: () => step(-1) };
}

/** Makes elements the children of a list, in their order; those that stay in their place are not touched. */
export function arrange(list, elements) {
  for (const each of [...list.children]) if (!elements.includes(each)) each.remove();
  elements.forEach((each, index) => list.children[index] === each || list.insertBefore(each, list.children[index] ?? null));
}

/** Time that passes, in milliseconds. */
export const sleep = (milliseconds) => new Promise((resolve) => {
  setTimeout(resolve, milliseconds);
});

/**
 * Calls a function at most once per this number of milliseconds: at once, and again after the last call. One that promises
 * something is called again only when that is there, so that no old answer comes after a new one.
 */
export function throttled(act, pause) {
  let last = -Infinity;
  let [isWanted, isBusy] = [false, false];
  const run = async () => {
    isWanted = false;
    last = performance.now();
    try {
      await act();
    } finally {
      isBusy = false;
      if (isWanted) soon();
    }
  };
  const soon = () => {
    isWanted = true;
    if (isBusy) return;
    isBusy = true;
    setTimeout(run, Math.max(0, last + pause - performance.now()));
  };
  return soon;
}
