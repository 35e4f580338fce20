// Light, dark, or as the system has it; and what else a browser remembers for the page.

/**
 * What the browser remembers. One that refuses to breaks nothing.
 *
 * @param {string} key
 * @param {any} [fallback]
 */
export function remembered(key, fallback = null) {
  try {
    return JSON.parse(localStorage.getItem(`mock-apns.${key}`) ?? 'null') ?? fallback;
  } catch {
    return fallback;
  }
}

/** @param {string} key @param {unknown} value */
export function remember(key, value) {
  try {
    localStorage.setItem(`mock-apns.${key}`, JSON.stringify(value));
  } catch {
    // Then it is forgotten with the page.
  }
}

const ORDER = ['system', 'light', 'dark'];

export const theme = {
  /** @type {string} */
  value: 'system',
  begin() {
    this.value = remembered('theme', 'system');
    this.set(ORDER.includes(this.value) ? this.value : 'system');
  },
  /** @param {string} value */
  set(value) {
    this.value = value;
    if (value === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = value;
    remember('theme', value);
  },
  /** The next one, when the button is pressed. */
  next() {
    this.set(ORDER[(ORDER.indexOf(this.value) + 1) % ORDER.length]);
    return this.value;
  },
};
