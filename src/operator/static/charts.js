// Charts of lines.

import { byId, draw, make, write } from './pieces.js';
import { RANGES, RANGE_WORDS, ROW_S, answer, highest, mean, range, within } from './steps.js';
import { asTable, brief, spread } from './table.js';
import { clock, count, isNumber, rate, share, short, time } from './words.js';

/** Points of a line, at most. */
export const POINTS = 180;

export const sheet = getComputedStyle(document.documentElement);
export const colour = (name) => sheet.getPropertyValue(name).trim();
export const charts = [];
export const STYLES = { one: [], two: [6, 4], three: [2, 3] };

/** A step that stands alone between gaps would have no line: it gets a point. */
export function lonely(plot, index) {
  const values = plot.data[index];
  const found = [];
  values.forEach((value, i) => {
    if (value !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null) found.push(i);
  });
  return found;
}

/**
 * A chart of lines. `spec` has a title, what an axis and a value say, and lines: each with a word, a style, the figure
 * of a step and how a table sums up several.
 */
export class Chart {
  constructor(id, spec) {
    this.spec = spec;
    const figure = byId(id);
    this.when = make('span', { class: 'when' });
    this.legend = make('ul', { class: 'legend' });
    this.values = spec.lines.map((line) => {
      const value = make('b');
      const sample = draw('svg', { width: 22, height: 10, 'aria-hidden': 'true' },
        draw('line', { x1: 0, x2: 22, y1: 5, y2: 5, class: `l-${line.style}`, 'stroke-dasharray': STYLES[line.style].join(' ') }));
      this.legend.append(make('li', {}, sample, `${line.word} `, value));
      return value;
    });
    this.host = make('div', { class: 'plot', role: 'img', 'aria-label': `${spec.title}: no data yet` });
    this.empty = make('p', { class: 'empty' }, 'No data yet.');
    this.host.append(this.empty);
    figure.append(make('figcaption', {}, make('h3', {}, spec.title), this.when), this.legend, this.host);
    this.table = asTable(figure, spec.title, () => this.fill());
    this.plot = null;
    this.cursor = null;
    new ResizeObserver(() => this.fit()).observe(this.host);
    charts.push(this);
  }

  size() {
    return { width: Math.max(120, Math.floor(this.host.clientWidth)), height: 160 };
  }

  fit() {
    if (this.plot && this.plot.width !== this.size().width) this.plot.setSize(this.size());
  }

  /** Draws anew from nothing, in the colours that hold now. */
  begin() {
    this.plot?.destroy();
    const { spec } = this;
    const axis = { stroke: colour('--muted'), font: '12px system-ui, sans-serif', ticks: { show: false } };
    const grid = { stroke: colour('--line'), width: 1 };
    const options = {
      ...this.size(),
      padding: [8, 20, 0, 0],
      legend: { show: false },
      select: { show: false },
      cursor: { y: false, drag: { x: false, y: false, setScale: false }, sync: { key: 'time' }, points: { size: 7 } },
      scales: {
        x: { time: true, range: () => [answer.now - RANGES[range], answer.now] },
        y: { range: (_plot, _low, high) => [0, spec.most ?? Math.max(spec.least, (high ?? 0) * 1.1)] },
      },
      axes: [
        { ...axis, grid: { show: false }, size: 26, space: 50, values: (_plot, ticks) => ticks.map((t) => (t % 60 === 0 ? short(t) : clock(t))) },
        { ...axis, grid, size: 52, space: 30, ...(spec.incrs && { incrs: spec.incrs }), values: (_plot, ticks) => ticks.map(spec.say) },
      ],
      series: [{}, ...spec.lines.map((line) => ({
        stroke: colour(`--${line.style}`),
        width: 2,
        dash: STYLES[line.style],
        fill: spec.lines.length === 1 || line.isFilled ? colour('--area') : undefined,
        points: { show: true, size: 5, fill: colour(`--${line.style}`), filter: lonely },
      }))],
      hooks: { setCursor: [(plot) => this.point(plot.cursor.idx)] },
    };
    this.plot = new uPlot(options, this.columns, this.host);
  }

  show(steps) {
    this.steps = steps;
    const list = (this.list = pointsOf(steps, this.spec.lines));
    this.columns = [list.map(({ t }) => t), ...this.spec.lines.map((_line, i) => list.map(({ values }) => values[i]))];
    const isEmpty = this.columns.slice(1).every((column) => column.every((value) => value === null));
    this.empty.hidden = !isEmpty;
    write(this.empty, list.length ? `${this.spec.none} ${within()}.` : 'No data yet.');
    if (this.plot) this.plot.setData(this.columns);
    else this.begin();
    this.tell();
    this.table.renew();
  }

  point(index) {
    const cursor = index ?? null;
    if (cursor === this.cursor) return;
    this.cursor = cursor;
    this.tell();
  }

  /** The values at the cursor, or the latest ones. */
  tell() {
    const { spec, list } = this;
    const under = this.cursor === null ? null : list[this.cursor];
    const step = under ?? list.at(-1);
    const value = (i) => spec.say(step?.values[i]);
    spec.lines.forEach((_line, i) => write(this.values[i], value(i)));
    write(this.when, step ? `${under ? 'at' : 'latest,'} ${clock(step.t)}` : '');
    if (under) return;
    const words = spec.lines.map((line, i) => `${line.word} ${value(i)}, highest ${spec.say(highest(this.steps, line.of))}`);
    const label = list.length ? `${spec.title}, last ${RANGE_WORDS[range]}: ${words.join('; ')}` : `${spec.title}: no data yet`;
    if (this.host.getAttribute('aria-label') !== label) this.host.setAttribute('aria-label', label);
  }

  fill() {
    const { spec } = this;
    const head = ['from', ...spec.lines.map(({ word, summed }) => (summed === highest ? `highest ${word}` : word))];
    return { head, rows: spread(this.steps, ROW_S[range]).reverse().map(({ from, list }) => [brief(from), ...spec.lines.map(({ of, summed }) => spec.say(summed(list, of)))]) };
  }
}

/** What a chart draws: no more points than can be told apart, with empty ones where steps are missing. */
export function pointsOf(list, lines) {
  const width = Math.max(answer.step_s, RANGES[range] / POINTS);
  const points = [];
  for (const part of spread(list, width)) {
    const t = part.list.at(-1).t;
    if (points.length && part.from - points.at(-1).from > width * 1.5) points.push({ from: part.from - width, t: part.list[0].t - 1, values: lines.map(() => null) });
    points.push({ from: part.from, t, values: lines.map(({ of, summed }) => summed(part.list, of)) });
  }
  return points;
}

export const line = (word, style, of, summed = mean, more = {}) => ({ word, style, of, summed, ...more });
export const aSecond = (n) => (isNumber(n) ? n / answer.step_s : null);
export const aMinute = (n) => (isNumber(n) ? (n * 60) / answer.step_s : null);

export function makeCharts() {
  new Chart('calls', {
    title: 'Calls a second', say: rate, least: 1, none: 'Nothing was asked',
    lines: [line('calls', 'one', (step) => aSecond(step.calls), mean, { isFilled: true }), line('refused requests', 'two', (step) => aSecond(step.refused))],
  });
  new Chart('latency', {
    title: 'Latency of calls', say: time, least: 1, none: 'No call ended',
    lines: [line('p50', 'one', (step) => step.latency?.p50, highest), line('p95', 'two', (step) => step.latency?.p95, highest), line('p99', 'three', (step) => step.latency?.p99, highest)],
  });
  new Chart('hits', {
    title: 'Hit rates', say: share, most: 1, least: 1, none: 'No call ended',
    lines: [line('cache', 'one', (step) => step.cache), line('replay', 'two', (step) => step.replay)],
  });
  new Chart('units', {
    title: 'Units a minute', say: rate, least: 1, none: 'No unit was used',
    lines: [line('without an account', 'one', (step) => aMinute(step.units?.anonymous)), line('accounts', 'two', (step) => aMinute(step.units?.accounts))],
  });
  new Chart('connections', {
    title: 'Open connections, one look every 5 s', say: count, least: 4, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000], none: 'None was looked at',
    lines: [line('open', 'one', (step) => step.connections, highest)],
  });
}
