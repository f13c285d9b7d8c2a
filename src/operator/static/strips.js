// Strips of time: rows of runs, each painted as a bar from a start to an end.

import { byId, draw, make } from './pieces.js';
import { RANGES, answer, range } from './steps.js';

/** Parts of a strip of time. */
export const SLOTS = 60;

/** Draws runs of time: each has a start and an end in seconds and paints itself into a box. */
export function strip(host, runs, height) {
  const width = Math.max(60, Math.floor(host.clientWidth));
  const from = answer.now - RANGES[range];
  const x = (t) => Math.max(0, Math.min(width, ((t - from) / RANGES[range]) * width));
  const svg = draw('svg', { width, height, 'aria-hidden': 'true', focusable: 'false' });
  for (const run of runs) {
    const [left, right] = [x(run.from), x(run.to)];
    if (right > left) svg.append(...run.paint(left, right - left, height));
  }
  host.replaceChildren(svg);
}

export const box = (name, x, y, width, height) => draw('rect', { class: name, x: x.toFixed(1), y, width: Math.max(width, 0.5).toFixed(1), height });

export function rowsFigure(id, title) {
  const figure = byId(id);
  const when = make('span', { class: 'when' });
  const rows = make('ul', { class: 'rows' });
  const empty = make('p', { class: 'empty' }, 'No data yet.');
  const from = make('span');
  const scale = make('div', { class: 'span', 'aria-hidden': 'true', hidden: '' }, from, make('span', {}, 'now'));
  figure.append(make('figcaption', {}, make('h3', {}, title), when), empty, rows, scale);
  return { figure, when, rows, empty, scale, from };
}

export function row(name, words = '') {
  const parts = { name: make('span', { class: 'name' }, name), stands: make('span', { class: 'stands' }), strip: make('div', { class: 'strip', role: 'img' }) };
  const item = make('li', {}, make('span', {}, parts.name, make('span', { class: 'what' }, words && ` ${words}`)), parts.stands, parts.strip);
  item.parts = parts;
  return item;
}

export const strips = [];
