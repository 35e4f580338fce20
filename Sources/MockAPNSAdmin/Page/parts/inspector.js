// The panel beside the log in wide windows: how wide it is, and everything of a push at once instead of tabs.

import { fill, h, remember, remembered, sign, tell } from '../base.js';

/** From this width on there are no tabs. */
export const wide = matchMedia('(min-width: 87.5em)');
wide.addEventListener('change', () => tell('wide'));

/** Pixels: the narrowest panel, what is left for filters and log at least, and the step of a key. */
const LEAST = 320;
const OTHERS = 540;
const STEP = 32;

const most = () => Math.max(LEAST, innerWidth - OTHERS);
const { style } = document.documentElement;

/** Makes the panel that wide; without a width, as wide as it is by itself. */
function widen(width) {
  if (width) style.setProperty('--side', `${Math.round(Math.min(most(), Math.max(LEAST, width)))}px`);
  else style.removeProperty('--side');
}

widen(remembered('side', null));

/** The edge of a panel, by which that is dragged; the arrow keys do the same. */
export function handle(panel) {
  const width = () => panel.offsetWidth;
  const keep = (next) => {
    widen(next);
    remember('side', next && width());
    say();
  };
  const say = () => {
    for (const [name, value] of Object.entries({ valuenow: width(), valuemin: LEAST, valuemax: most() })) edge.setAttribute(`aria-${name}`, value);
  };
  const edge = h('div.edge', {
    role: 'separator', tabindex: '0', label: 'Width of the panel', 'aria-orientation': 'vertical', title: 'Drag, or arrow keys; twice for the usual width',
    onfocus: say, ondblclick: () => keep(null),
    onkeydown(event) {
      const next = { ArrowLeft: width() + STEP, ArrowRight: width() - STEP, Home: most(), End: LEAST }[event.key];
      if (!next) return;
      event.preventDefault();
      keep(next);
    },
    onpointerdown(event) {
      edge.setPointerCapture(event.pointerId);
      event.preventDefault();
      edge.focus();
    },
    onpointermove: (event) => edge.hasPointerCapture(event.pointerId) && widen(panel.getBoundingClientRect().right - event.clientX),
    onlostpointercapture: () => keep(width()),
  });
  // Not now: the page would be laid out for it, without the panel.
  requestAnimationFrame(say);
  return edge;
}

/** Makes a panel much wider, or as wide as usual: for those who do not drag. */
export const widening = (panel) => sign('⇔', 'Wider or narrower', () => {
  const usual = style.getPropertyValue('--side');
  widen(usual ? null : Math.max(panel.offsetWidth * 1.5, LEAST));
  remember('side', usual ? null : panel.offsetWidth);
}, { class: 'quiet widening' });

/** A part of a push, with its name and the promise of its content. */
function part([name, label, content], tag) {
  const heading = h(tag, label);
  const element = h(`section.part.part-${name}`, { 'data-part': name, 'aria-busy': true }, heading);
  content.catch((error) => h('p.muted', error.message)).then((given) => {
    fill(element, heading, given);
    element.removeAttribute('aria-busy');
  });
  return element;
}

/** All parts of a push: those that are read first beside the screen, and the longer ones below. */
export const board = (parts, tag) => h('div.board', parts.map((each) => part(each, tag)));
