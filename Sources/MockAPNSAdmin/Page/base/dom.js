// Elements. Text is only ever set as text: nothing here, and nothing elsewhere, makes markup of a string.

/** @typedef {Node | string | number | null | undefined | false | Child[]} Child */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Makes an element.
 *
 * @param {string} tag its name, with classes after dots: `div.card.small`.
 * @param {Record<string, any> | null} [attributes] `on…` are listeners, `style` is an object, and what is null or false
 *   is left out.
 * @param {...Child} children
 * @returns {any}
 */
export function h(tag, attributes, ...children) {
  const [name, ...classes] = tag.split('.');
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'style') Object.assign(element.style, value);
    else if (key === 'value') /** @type {any} */ (element).value = value;
    else if (key === 'class') element.className = [element.className, value].filter(Boolean).join(' ');
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  append(element, children);
  return element;
}

/**
 * @param {Node} parent
 * @param {Child} child
 */
export function append(parent, child) {
  if (Array.isArray(child)) for (const one of child) append(parent, one);
  else if (child instanceof Node) parent.appendChild(child);
  else if (child !== null && child !== undefined && child !== false) parent.appendChild(document.createTextNode(String(child)));
}

/**
 * Replaces all that an element holds.
 *
 * @param {Element} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/**
 * An icon of index.html, which says nothing to screen readers.
 *
 * @param {string} name
 */
export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(SVG, 'use');
  use.setAttribute('href', `#i-${name}`);
  svg.appendChild(use);
  return svg;
}

/**
 * A button.
 *
 * @param {Child} label
 * @param {(event: Event) => void} act
 * @param {Record<string, any>} [attributes] `icon` is the name of one before the label.
 */
export function button(label, act, attributes = {}) {
  const { icon: name, ...rest } = attributes;
  return h('button', { type: 'button', onclick: act, ...rest }, name && icon(name), label && h('span', null, label));
}

/**
 * A link within the page, or to the API.
 *
 * @param {string} href
 * @param {Child} label
 * @param {Record<string, any>} [attributes]
 */
export function link(href, label, attributes = {}) {
  return h('a', { href, ...attributes }, label);
}

/**
 * A list of terms and what they are; those without a value are left out.
 *
 * @param {[string, Child][]} pairs
 */
export function facts(pairs) {
  const there = pairs.filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '');
  return h('dl.facts', null, there.map(([term, value]) => [h('dt', null, term), h('dd', null, value)]));
}

/**
 * Calls a function at most once in so many milliseconds: at once, and again after the last call.
 *
 * @param {() => void} act
 * @param {number} pause
 */
export function throttled(act, pause) {
  let last = -Infinity;
  let timer = 0;
  const run = () => {
    timer = 0;
    last = performance.now();
    act();
  };
  const call = () => {
    if (timer) return;
    const rest = last + pause - performance.now();
    if (rest <= 0) run();
    else timer = window.setTimeout(run, rest);
  };
  /** Without the pause. */
  call.now = () => {
    clearTimeout(timer);
    run();
  };
  call.cancel = () => {
    clearTimeout(timer);
    timer = 0;
  };
  return call;
}
