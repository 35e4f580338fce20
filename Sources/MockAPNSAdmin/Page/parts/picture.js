// A picture of a device's screen, drawn as SVG: for issues, and for documents. PNG is made of it.

import { ago, deviceLabel, dotted, failed, save, svg } from '../base.js';
import { activityName, colorOf, levelOf, stacks } from './screens.js';

const WIDTH = 360;
const EDGE = 16;
const LINE = 17;
const FONT = 'system-ui, sans-serif';
const SOFT = { fill: '#5a606c', 'font-size': 11 };
const MIDDLE = { 'text-anchor': 'middle' };
const BOLD = { 'font-weight': 650 };
/** Lines of a body that a notification has room for. */
const MOST = 4;
/** Points of the PNG for one of the SVG. */
const SCALE = 2;

const measure = document.createElement('canvas').getContext('2d');

/** A text in lines of a width; what does not fit into the last ends with `…`. */
function wrapped(text, width, most) {
  measure.font = `13px ${FONT}`;
  const fits = (line) => measure.measureText(line).width <= width;
  const lines = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    // Words longer than a line are cut between letters.
    for (const piece of paragraph.match(/\s+|\S{1,16}/gu) ?? []) {
      if (fits(line + piece)) line += piece;
      else {
        lines.push(line);
        line = piece.trimStart();
      }
    }
    lines.push(line);
  }
  return lines.length > most ? [...lines.slice(0, most - 1), `${lines[most - 1]}…`] : lines;
}

/** What stands on the screen, from the top: cards of an app, each with its lines. */
function cards(device, now) {
  const live = device.activities.toReversed().map((activity) =>
    ({ app: activityName(activity), note: `Live, ${activity.event}`, lines: wrapped(JSON.stringify(activity.state ?? {}), WIDTH - 6 * EDGE, MOST) }));
  return live.concat(stacks(device).map(([{ shown, displayedAt }, ...rest]) => ({
    app: shown.app, note: dotted(levelOf(shown), ago(displayedAt, now)), title: shown.title,
    lines: [shown.subtitle, shown.body].flatMap((text) => (text ? wrapped(text, WIDTH - 6 * EDGE, MOST) : [])).concat(rest.length ? `${rest.length} more` : []),
  })));
}

/** The picture, as an element. */
export function picture(device, now) {
  let y = 5 * LINE;
  const text = (x, line, content, attributes = {}) => svg('text', { x, y: y + line * LINE, ...attributes }, content);
  const drawn = cards(device, now).map(({ app, note, title, lines }) => {
    const height = (lines.length + (title ? 2 : 1)) * LINE + EDGE;
    const x = 3.5 * EDGE + 12;
    const card = svg('g', svg('rect', { x: EDGE, y, width: WIDTH - 2 * EDGE, height, rx: 14, fill: '#fff', stroke: '#ccd0d8' }),
      svg('rect', { x: EDGE + 10, y: y + 10, width: 30, height: 30, rx: 8, fill: colorOf(app) }),
      text(EDGE + 25, 1.8, [...app][0] ?? '?', { ...MIDDLE, ...BOLD, fill: '#fff' }),
      text(x, 1.2, app, SOFT), text(WIDTH - EDGE - 10, 1.2, note, { ...SOFT, 'text-anchor': 'end' }),
      title && text(x, 2.2, title, BOLD), lines.map((line, index) => text(x, index + (title ? 3.2 : 2.2), line)));
    y += height + 8;
    return card;
  });
  if (!drawn.length) {
    drawn.push(text(WIDTH / 2, 1, 'Nothing on the screen', { ...SOFT, ...MIDDLE }));
    y += 2 * LINE;
  }
  const height = y + EDGE;
  y = 0;
  return svg('svg', { xmlns: 'http://www.w3.org/2000/svg', width: WIDTH, height, viewBox: `0 0 ${WIDTH} ${height}`, 'font-family': FONT, 'font-size': 13, fill: '#1a1c20' },
    svg('rect', { width: WIDTH, height, rx: 28, fill: '#f1f3f6', stroke: '#868c98' }),
    text(WIDTH / 2, 2, deviceLabel(device), { ...MIDDLE, ...BOLD }),
    text(WIDTH / 2, 3.3, dotted(`${new Date(now).toISOString().slice(0, 16).replace('T', ' ')} UTC`, device.badge > 0 && `badge ${device.badge}`), { ...SOFT, ...MIDDLE }),
    drawn);
}

/** Saves a device's screen as a file of a kind, `svg` or `png`. */
export function savePicture(device, now, kind) {
  const name = `${(device.name ?? device.token.slice(0, 8)).replace(/[^\w.-]+/g, '-')}.${kind}`;
  const element = picture(device, now);
  const source = new XMLSerializer().serializeToString(element);
  if (kind === 'svg') return save(name, [source], 'image/svg+xml');
  const image = new Image();
  image.onload = () => {
    const canvas = document.createElement('canvas');
    canvas.width = image.width * SCALE;
    canvas.height = image.height * SCALE;
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(name, [blob], blob.type));
  };
  image.onerror = () => failed('This browser cannot draw it; take SVG.');
  image.src = `data:image/svg+xml,${encodeURIComponent(source)}`;
}
