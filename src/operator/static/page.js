// The operator's page: asks the server for its series again and again and shows them. Whatever the server says is put
// into the page as text, never as markup. What is not known is said to be not known, and what is old is said to be old.

const ASK_EVERY_MS = 2_000;
const ANSWER_WITHIN_MS = 5_000;
const RANGES = { '5min': 300, '15min': 900, '1h': 3_600 };
const RANGE_WORDS = { '5min': '5 minutes', '15min': '15 minutes', '1h': '1 hour' };
/** How many rows a table of times has, by range. */
const ROW_S = { '5min': 30, '15min': 60, '1h': 300 };
const SILENT = 'has not answered';
const UNREADABLE = 'has sent what this page cannot read';
const DAYS_ALARM = 7;
const DAYS_NOTICE = 21;
const SHARE_HIGH = 0.8;
/** Points of a line, at most. */
const POINTS = 180;
/** Parts of a strip of time. */
const SLOTS = 60;
const FAMILY_WORDS = {
  resolve: 'names and ids', artist: 'dossiers', search: 'the catalogue', tracks: 'by title', label: 'dossiers',
  similar: 'who is alike', gigs: 'dated events', lists: 'who is rising', aura: 'scores',
};
const SVG = 'http://www.w3.org/2000/svg';

// --- words and figures

const plain = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const hundredths = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const tenths = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const hours = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const seconds = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const clock = (t) => seconds.format(t * 1000);
const short = (t) => hours.format(t * 1000);
const moment = (t) => `${days.format(t * 1000)}, ${short(t)}`;

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);
const known = (say) => (value) => (isNumber(value) ? say(value) : 'none');
const count = known((n) => plain.format(n));
const rate = known((n) => (n !== 0 && n < 0.005 ? 'under 0.01' : (n < 1 ? hundredths : n < 10 ? tenths : plain).format(n)));
const share = known((n) => (n !== 0 && n < 0.0005 ? 'under 0.1 %' : `${(n < 0.1 ? tenths : plain).format(n * 100)} %`));
const time = known((ms) => (ms >= 1000 ? `${tenths.format(ms / 1000)} s` : `${(ms < 10 ? tenths : plain).format(ms)} ms`));
const many = (n, one, more) => `${count(n)} ${n === 1 ? one : more}`;

function lasting(s) {
  const whole = Math.max(0, Math.round(s));
  const [d, h, m] = [Math.floor(whole / 86_400), Math.floor(whole / 3_600) % 24, Math.floor(whole / 60) % 60];
  if (d > 0) return `${many(d, 'day', 'days')} ${h} h`;
  if (h > 0) return `${h} h ${m} min`;
  return m > 0 ? `${m} min` : `${whole} s`;
}

// --- pieces of the page

function make(name, fields = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(fields)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function draw(name, fields, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(fields)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

const byId = (id) => document.getElementById(id);

/** Writes only what changed, so that nothing is read out twice and no selection is lost. */
function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Makes the children of `parent` one for each key, kept as long as the key stays. */
function keyed(parent, keys, build) {
  const held = (parent.held ??= new Map());
  for (const [key, node] of held) {
    if (!keys.includes(key)) {
      node.remove();
      held.delete(key);
    }
  }
  keys.forEach((key, index) => {
    if (!held.has(key)) held.set(key, build(key));
    const node = held.get(key);
    if (parent.children[index] !== node) parent.insertBefore(node, parent.children[index] ?? null);
  });
  return keys.map((key) => held.get(key));
}

/** The one list inside a place, made when there is something to say in it. */
function inside(id, name, kind) {
  const place = byId(id);
  if (!place.list) place.replaceChildren((place.list = make(name, { class: kind })));
  return place.list;
}

// --- what is known

/** Steps by their time, as far back as the server keeps them. */
const steps = new Map();
let answer = null;
let answeredAt = 0;
let silentSince = null;

const at = (columns, index) =>
  Object.fromEntries(Object.entries(columns ?? {}).map(([name, column]) => [name, column?.[index] ?? null]));

function take(told) {
  if (!told || !Array.isArray(told.t) || ![told.now, told.started, told.step_s].every(isNumber)) throw new Error('unreadable');
  told.t.forEach((t, i) => {
    steps.set(t, {
      t,
      calls: told.calls?.[i] ?? null,
      refused: told.refused?.[i] ?? null,
      latency: at(told.latency_ms, i),
      errors: at(told.errors, i),
      tools: at(told.tools, i),
      families: Object.fromEntries(Object.entries(told.families ?? {}).map(([name, columns]) => [name, at(columns, i)])),
      units: at(told.units, i),
      cache: told.cache_hit?.[i] ?? null,
      replay: told.replay_hit?.[i] ?? null,
      connections: told.connections?.[i] ?? null,
    });
  });
  // What was before a restart stays, with a gap; what would lie ahead is of a clock that was set back.
  for (const t of steps.keys()) if (t <= told.now - (told.kept_s ?? 3_600) || t > told.now + told.step_s) steps.delete(t);
  answer = told;
  answeredAt = performance.now();
}

let range = '15min';

/** Those of the chosen range. */
const shown = (whole) => whole.filter(({ t }) => t > answer.now - RANGES[range]);

/** All steps, oldest first, with an empty one wherever some are missing. */
function inOrder() {
  const whole = [];
  for (const step of [...steps.values()].sort((a, b) => a.t - b.t)) {
    const before = whole.at(-1);
    if (before && step.t - before.t > answer.step_s * 1.5) whole.push({ t: step.t - answer.step_s, isGap: true });
    whole.push(step);
  }
  return whole;
}

const sum = (list, of) => list.reduce((total, step) => total + (of(step) ?? 0), 0);
const highest = (list, of) => list.reduce((most, step) => (isNumber(of(step)) && !(most >= of(step)) ? of(step) : most), null);
const mean = (list, of) => {
  const values = list.map(of).filter(isNumber);
  return values.length ? values.reduce((a, b) => a + b, 0) / values.length : null;
};
const latest = (list, of) => list.findLast((step) => isNumber(of(step)));
const names = (list, of) => [...new Set(list.flatMap((step) => Object.keys(of(step) ?? {})))];

// --- charts

const sheet = getComputedStyle(document.documentElement);
const colour = (name) => sheet.getPropertyValue(name).trim();
const charts = [];
const STYLES = { one: [], two: [6, 4], three: [2, 3] };

/** A step that stands alone between gaps would have no line: it gets a point. */
function lonely(plot, index) {
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
class Chart {
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
    write(this.empty, list.length ? `${this.spec.none} in the last ${RANGE_WORDS[range]}.` : 'No data yet.');
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

const brief = (t) => (ROW_S[range] % 60 === 0 ? short(t) : clock(t));

/** The steps in parts of so many seconds, oldest first. */
function spread(list, width) {
  const parts = new Map();
  for (const step of list) {
    if (step.isGap) continue;
    const from = Math.floor((step.t - 1) / width) * width;
    if (!parts.has(from)) parts.set(from, []);
    parts.get(from).push(step);
  }
  return [...parts].map(([from, part]) => ({ from, list: part }));
}

/** What a chart draws: no more points than can be told apart, with empty ones where steps are missing. */
function pointsOf(list, lines) {
  const width = Math.max(answer.step_s, RANGES[range] / POINTS);
  const points = [];
  for (const part of spread(list, width)) {
    const t = part.list.at(-1).t;
    if (points.length && part.from - points.at(-1).from > width * 1.5) points.push({ from: part.from - width, t: part.list[0].t - 1, values: lines.map(() => null) });
    points.push({ from: part.from, t, values: lines.map(({ of, summed }) => summed(part.list, of)) });
  }
  return points;
}

/** The same figures as a table below a figure. It is made only while it is open. */
function asTable(figure, title, fill) {
  const scroll = make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `${title} as a table` });
  const details = make('details', {}, make('summary', {}, 'As a table', make('span', { class: 'unseen' }, `: ${title}`)), scroll);
  figure.append(details);
  const caption = make('caption');
  const head = make('tr');
  const body = make('tbody');
  scroll.append(make('table', {}, caption, make('thead', {}, head), body));
  const renew = () => {
    if (!details.open || !answer) return;
    const table = fill();
    const isWords = (index) => table.words?.includes(index);
    write(caption, table.rows.length ? table.caption ?? `${title}, newest first, ${lasting(ROW_S[range])} a row` : table.none ?? 'No data yet.');
    keyed(head, table.head, (word) => make('th', { scope: 'col' }, word));
    [...head.children].forEach((cell, i) => cell.classList.toggle('words', Boolean(isWords(i))));
    keyed(body, [...table.rows.keys()], () => make('tr')).forEach((row, i) => {
      const cells = table.rows[i];
      while (row.children.length > cells.length) row.lastChild.remove();
      while (row.children.length < cells.length) row.append(row.children.length === 0 ? make('th', { scope: 'row' }) : make('td'));
      cells.forEach((text, j) => {
        write(row.children[j], text);
        row.children[j].classList.toggle('words', Boolean(isWords(j)));
      });
    });
  };
  details.addEventListener('toggle', renew);
  return { renew };
}

const line = (word, style, of, summed = mean, more = {}) => ({ word, style, of, summed, ...more });
const aSecond = (n) => (isNumber(n) ? n / answer.step_s : null);
const aMinute = (n) => (isNumber(n) ? (n * 60) / answer.step_s : null);

function makeCharts() {
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
    title: 'Open connections', say: count, least: 4, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000], none: 'No connection was counted',
    lines: [line('open', 'one', (step) => step.connections, highest)],
  });
}

// --- strips of time

/** Draws runs of time: each has a start and an end in seconds and paints itself into a box. */
function strip(host, runs, height) {
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

const box = (name, x, y, width, height) => draw('rect', { class: name, x: x.toFixed(1), y, width: Math.max(width, 0.5).toFixed(1), height });

/** How a family can stand, the worst first. */
const STANDS = {
  degraded: { word: 'degraded: not being asked', short: 'yes', paint: (x, w, h) => [box('s-degraded', x, 0.5, w, h - 1)] },
  failed: { word: 'some failed', paint: (x, w, h) => [box('s-failed', x, 0, w, h), box('s-failed-mark', x, h - 7, w, 7)] },
  answered: { word: 'answered', paint: (x, w, h) => [box('s-answered', x, 0, w, h)] },
  idle: { word: 'not asked', paint: (x, w, h) => [box('s-idle', x, h / 2 - 2, w, 4)] },
  unknown: { word: 'no data', short: 'no data', paint: (x, w, h) => [box('s-unknown', x, 0, w, h)] },
};

function stands(family) {
  if (!family || family.state === null) return 'unknown';
  if (family.state === 'degraded') return 'degraded';
  if (family.state === 'no_data' || !family.asked) return 'idle';
  return family.failed ? 'failed' : 'answered';
}

/** Runs of equal standing of one family, oldest first; `as` says which are equal. */
function runsOf(list, name, as = (is) => is) {
  const runs = [];
  for (const step of list) {
    const is = as(step.isGap ? 'unknown' : stands(step.families?.[name]));
    const last = runs.at(-1);
    const from = last ? last.to : step.t - answer.step_s;
    if (last && last.is === is) last.to = step.t;
    else runs.push({ is, from, to: step.t });
  }
  return runs;
}

/** Since when a family has stood as it does. What was so from the first step on may have begun earlier. */
function since(whole, name) {
  const runs = runsOf(whole, name);
  return { from: short(runs.at(-1).from), isFirst: runs.length === 1 };
}

/** The same in as many equal parts as an eye can tell apart, each as bad as its worst moment. */
function slots(runs) {
  const width = RANGES[range] / SLOTS;
  const order = Object.keys(STANDS);
  const joined = [];
  const first = Math.floor((answer.now - RANGES[range]) / width) * width;
  for (let from = first; from < answer.now; from += width) {
    const within = runs.filter((run) => run.to > from && run.from < from + width).map(({ is }) => order.indexOf(is));
    const is = within.length ? order[Math.min(...within)] : 'unknown';
    const last = joined.at(-1);
    if (last && last.is === is && last.to === from) last.to = from + width;
    else joined.push({ is, from, to: from + width });
  }
  return joined;
}

function rowsFigure(id, title) {
  const figure = byId(id);
  const when = make('span', { class: 'when' });
  const rows = make('ul', { class: 'rows' });
  const empty = make('p', { class: 'empty' }, 'No data yet.');
  const from = make('span');
  const scale = make('div', { class: 'span', 'aria-hidden': 'true', hidden: '' }, from, make('span', {}, 'now'));
  figure.append(make('figcaption', {}, make('h3', {}, title), when), empty, rows, scale);
  return { figure, when, rows, empty, scale, from };
}

function row(name, words = '') {
  const parts = { name: make('span', { class: 'name' }, name), stands: make('span', { class: 'stands' }), strip: make('div', { class: 'strip', role: 'img' }) };
  const item = make('li', {}, make('span', {}, parts.name, make('span', { class: 'what' }, words && ` ${words}`)), parts.stands, parts.strip);
  item.parts = parts;
  return item;
}

const strips = [];

class Families {
  constructor() {
    Object.assign(this, rowsFigure('families', 'Data service by family'));
    this.legend = make('ul', { class: 'legend', hidden: '' });
    for (const { word, paint } of Object.values(STANDS)) {
      this.legend.append(make('li', {}, draw('svg', { width: 22, height: 14, 'aria-hidden': 'true' }, ...paint(0, 22, 14)), word));
    }
    this.rows.before(this.legend);
    this.table = asTable(this.figure, 'Data service by family', () => this.fill());
    strips.push(this);
  }

  show(list, whole) {
    Object.assign(this, { list, whole });
    const order = Object.keys(FAMILY_WORDS);
    const place = (name) => (order.includes(name) ? order.indexOf(name) : order.length);
    this.names = names(list, ({ families }) => families).sort((a, b) => place(a) - place(b));
    this.empty.hidden = this.names.length > 0;
    this.legend.hidden = this.scale.hidden = !this.empty.hidden;
    write(this.from, `${RANGE_WORDS[range]} ago`);
    const now = list.findLast((step) => !step.isGap);
    const bad = this.names.filter((name) => stands(now?.families?.[name]) === 'degraded');
    write(this.when, bad.length ? `${bad.length} of ${this.names.length} degraded` : this.names.length ? 'none degraded' : '');
    keyed(this.rows, this.names, (name) => row(name, FAMILY_WORDS[name])).forEach((item, i) => this.tell(item.parts, this.names[i], now));
    this.table.renew();
  }

  tell(parts, name, now) {
    const runs = runsOf(this.list, name);
    const is = stands(now?.families?.[name]);
    const [asked, failed] = ['asked', 'failed'].map((what) => sum(this.list, (step) => step.families?.[name]?.[what]));
    const { from, isFirst } = since(this.whole, name);
    const standing = isFirst ? 'degraded all along' : `degraded since ${from}`;
    const words = is === 'degraded' ? standing : asked ? `${count(failed)} of ${count(asked)} failed` : 'not asked';
    write(parts.stands, words);
    parts.stands.classList.toggle('is-bad', is === 'degraded');
    const before = runs.filter((run) => run.is === 'degraded').length;
    parts.strip.setAttribute('aria-label', `${name}, last ${RANGE_WORDS[range]}: ${words}; degraded ${many(before, 'time', 'times')}`);
    strip(parts.strip, slots(runs).map((run) => ({ ...run, paint: STANDS[run.is].paint })), 18);
  }

  redraw() {
    if (this.list) this.show(this.list, this.whole);
  }

  fill() {
    const rows = this.names.flatMap((name) =>
      runsOf(this.list, name, (is) => (['degraded', 'unknown'].includes(is) ? STANDS[is].short : 'no')).reverse().map((run) => {
        const within = this.list.filter(({ t }) => t > run.from && t <= run.to);
        const figure = (what) => count(sum(within, (step) => step.families?.[name]?.[what]));
        return [name, brief(run.from), brief(run.to), run.is, figure('asked'), figure('failed')];
      }));
    return { head: ['family', 'from', 'to', 'degraded', 'asked', 'failed'], rows, words: [3], caption: 'Each family, newest first' };
  }
}

/** One row of bars for each word that occurred, those that occurred most first. */
class Counted {
  constructor(id, title, of, none) {
    Object.assign(this, rowsFigure(id, title), { of, none, title });
    this.table = asTable(this.figure, title, () => this.fill());
    strips.push(this);
  }

  show(list) {
    this.list = list;
    const total = (name) => sum(list, (step) => this.of(step)?.[name]);
    this.totals = names(list, this.of).map((name) => [name, total(name)]).filter(([, n]) => n > 0).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
    this.empty.hidden = this.totals.length > 0;
    this.scale.hidden = !this.empty.hidden;
    write(this.empty, list.length ? `${this.none} in the last ${RANGE_WORDS[range]}.` : 'No data yet.');
    write(this.from, `${RANGE_WORDS[range]} ago`);
    const all = this.totals.reduce((n, [, m]) => n + m, 0);
    write(this.when, all ? `${count(all)} in ${RANGE_WORDS[range]}` : '');
    const width = RANGES[range] / SLOTS;
    const start = Math.floor((answer.now - RANGES[range]) / width) * width;
    keyed(this.rows, this.totals.map(([name]) => name), (name) => row(name)).forEach(({ parts }, i) => {
      const [name, n] = this.totals[i];
      const heights = Array.from({ length: SLOTS + 1 }, () => 0);
      for (const step of list) {
        const slot = Math.floor((step.t - 1 - start) / width);
        if (heights[slot] !== undefined) heights[slot] += this.of(step)?.[name] ?? 0;
      }
      const most = Math.max(...heights);
      write(parts.stands, count(n));
      parts.strip.setAttribute('aria-label', `${name}, last ${RANGE_WORDS[range]}: ${count(n)}`);
      const ground = { from: 0, to: answer.now, paint: (x, w, h) => [box('base', x, h - 1, w, 1)] };
      const runs = heights.flatMap((value, slot) => (value === 0 ? [] : [{
        from: start + slot * width,
        to: start + (slot + 1) * width,
        paint: (x, w, h) => [box('bar', x, (1 - value / most) * (h - 4), Math.max(1, w - 1), Math.max(3, (value / most) * (h - 4) + 3))],
      }]));
      strip(parts.strip, [ground, ...runs], 18);
    });
    this.table.renew();
  }

  redraw() {
    if (this.list) this.show(this.list);
  }

  fill() {
    const head = this.totals.map(([name]) => name);
    return { head: ['from', ...head], rows: head.length ? spread(this.list, ROW_S[range]).reverse().map(({ from, list }) => [brief(from), ...head.map((name) => count(sum(list, (step) => this.of(step)?.[name])))]) : [], none: this.empty.textContent };
  }
}

// --- alarms

function alarms(whole) {
  const found = [];
  const add = (grade, text, figures = '') => found.push({ grade, text, figures });
  const gauges = answer.gauges ?? {};
  const { certificates, ladder, upstream_plan: plan } = gauges;
  const reload = gauges.reload ?? {};
  if (!answer.gauges) add('notice', 'The server tells nothing of its own state');
  for (const { part, why } of gauges.not_ready ?? []) add('alarm', `Not ready: ${part}: ${why}`);
  if (reload.configuration_refused) add('alarm', `The configuration was refused, the last good one holds: ${reload.configuration_refused}`);
  if (reload.certificate_refused) add('alarm', `The certificate was refused, the last good one holds: ${reload.certificate_refused}`);
  if (gauges.store?.startsWith('refusing') && !gauges.not_ready?.some(({ part }) => part === 'store')) add('alarm', `The store is ${gauges.store}`);
  const now = whole.findLast((step) => !step.isGap);
  const all = Object.keys(now?.families ?? {});
  const bad = all.filter((name) => stands(now.families[name]) === 'degraded');
  const recent = whole.filter(({ t }) => t > now?.t - 300);
  const failures = (of) => {
    const [asked, failed] = ['asked', 'failed'].map((what) => sum(recent, (step) => of.reduce((n, name) => n + (step.families?.[name]?.[what] ?? 0), 0)));
    return asked ? `: ${count(failed)} of ${many(asked, 'request', 'requests')} failed in the last 5 minutes` : '';
  };
  if (bad.length > 1 && bad.length === all.length) add('alarm', 'The whole data service is degraded', failures(all));
  else {
    for (const name of bad) {
      const words = FAMILY_WORDS[name] ? ` (${FAMILY_WORDS[name]})` : '';
      const { from, isFirst } = since(whole, name);
      add('alarm', `${name}${words} is degraded since ${from}${isFirst ? ' or earlier' : ''}`, failures([name]));
    }
  }
  for (const { names: of = [], days_left: left } of certificates ?? []) {
    if (!isNumber(left) || left >= DAYS_NOTICE) continue;
    add(left < DAYS_ALARM ? 'alarm' : 'notice', left < 0 ? `The certificate of ${of.join(', ')} has expired` : `The certificate of ${of.join(', ')} ends in ${many(Math.floor(left), 'day', 'days')}`);
  }
  const { anonymous } = gauges;
  if (anonymous?.of > 0 && anonymous.used >= anonymous.of * SHARE_HIGH) {
    add(anonymous.used >= anonymous.of ? 'alarm' : 'notice', `Use without an account: the day's units are ${anonymous.used >= anonymous.of ? '' : 'nearly '}used, until ${short(anonymous.resets)}`, `: ${count(anonymous.used)} of ${count(anonymous.of)}`);
  }
  const month = plan?.month;
  if (month?.of > 0 && month.used >= month.of * SHARE_HIGH) add(month.used >= month.of ? 'alarm' : 'notice', `The data service's plan: the month's requests are ${month.used >= month.of ? '' : 'nearly '}used`, `: ${count(month.used)} of ${count(month.of)}`);
  if (ladder && !/^(?:l|rung )?0$/i.test(String(ladder.step))) add('notice', `Protection ladder, rung ${ladder.step}: ${ladder.words}`);
  if (anonymous?.paused) add('notice', 'Use without an account is paused');
  if (gauges.tools_off?.length) add('notice', `Switched off: ${gauges.tools_off.join(', ')}`);
  if (gauges.store?.startsWith('tight')) add('notice', `The store is ${gauges.store}`);
  if (reload.waits_for_start?.length) add('notice', `Changed, and read at the next start only: ${reload.waits_for_start.join(', ')}`);
  return found.sort((a, b) => (a.grade < b.grade ? -1 : a.grade > b.grade ? 1 : 0));
}

/** Shows them, and has a screen reader say them when one has come or gone: not whenever a figure changes. */
function showAlarms(found) {
  const host = byId('alarms');
  const shown = JSON.stringify(found);
  if (host.told === shown) return;
  host.told = shown;
  const item = ({ grade, text, figures }) => make('li', {}, make('strong', { class: `grade ${grade}` }, grade), ' ', make('span', {}, text + figures));
  host.replaceChildren(found.length ? make('ul', {}, ...found.map(item)) : make('p', { class: 'quiet' }, 'None.'));
  write(byId('said'), found.map(({ grade, text }) => `${grade}: ${text}.`).join(' ') || 'No alarms.');
}

// --- figures of this moment

function tile(name) {
  const parts = { value: make('dd', { class: 'value' }), note: make('dd', { class: 'note' }) };
  const item = make('div', { class: 'card' }, make('dt', {}, name), parts.value, parts.note);
  item.parts = parts;
  return item;
}

function showTiles(list) {
  const real = list.filter((step) => !step.isGap);
  const now = real.at(-1)?.t ?? 0;
  const minute = real.filter(({ t }) => t > now - 60);
  const [calls, errors] = [sum(minute, (step) => step.calls), sum(minute, (step) => Object.values(step.errors).reduce((n, m) => n + (m ?? 0), 0))];
  const last = latest(real, (step) => step.latency.p95);
  const hit = (of) => {
    const step = latest(real, of);
    return step ? [share(of(step)), `at ${clock(step.t)}`] : ['none', 'no call yet'];
  };
  const none = ['no data yet', ''];
  const tiles = {
    'Calls a second': minute.length ? [rate(calls / (minute.length * answer.step_s)), 'over the last minute'] : none,
    'Latency p95': last ? [time(last.latency.p95), `at ${clock(last.t)}`] : real.length ? ['none', 'no call yet'] : none,
    'Calls with an error': calls ? [share(errors / calls), `${count(errors)} of ${count(calls)}, last minute`] : real.length ? ['none', 'no call in the last minute'] : none,
    'Cache hits': real.length ? hit((step) => step.cache) : none,
    'Replay hits': real.length ? hit((step) => step.replay) : none,
    Connections: isNumber(real.at(-1)?.connections) ? [count(real.at(-1).connections), 'open now'] : none,
  };
  keyed(inside('tiles', 'dl', 'tiles'), Object.keys(tiles), tile).forEach(({ parts }, i) => {
    const [value, note] = Object.values(tiles)[i];
    write(parts.value, value);
    parts.value.classList.toggle('none', ['none', none[0]].includes(value));
    write(parts.note, note);
  });
}

function budget(name) {
  const parts = { figure: make('p'), gauge: make('div'), note: make('p', { class: 'note' }) };
  const item = make('div', { class: 'budget' }, make('div', { class: 'head' }, make('p', {}, name), parts.figure), parts.gauge, parts.note);
  item.parts = parts;
  return item;
}

function showBudgets({ anonymous, accounts, upstream_plan: plan }) {
  const until = (resets) => (isNumber(resets) ? `starts anew ${moment(resets)}, in ${lasting(resets - answer.now)}` : '');
  const list = [
    ['Without an account, units today', anonymous, until(anonymous?.resets)],
    ...(plan === null ? [['Data service', { text: 'nothing is counted' }, 'the demo catalogue has no plan']] : [
      ['Data service, last minute', plan?.minute, 'requests of the plan'],
      ['Data service, this month', plan?.month, plan?.month && !isNumber(plan.month.of) ? 'requests; no limit is set' : 'requests of the plan'],
    ]),
    ['Accounts', accounts && { text: `${count(accounts.active_today)} active today` }, accounts ? `${count(accounts.at_limit)} at their limit` : ''],
  ];
  keyed(inside('budgets', 'div', ''), list.map(([name]) => name), budget).forEach(({ parts }, i) => {
    const [, gauge, note] = list[i];
    const hasEnd = isNumber(gauge?.of) && gauge.of > 0;
    const text = gauge?.text ?? (isNumber(gauge?.used) ? (isNumber(gauge.of) ? `${count(gauge.used)} of ${count(gauge.of)}` : `${count(gauge.used)}`) : 'no data yet');
    write(parts.figure, hasEnd ? `${text}, ${share(gauge.used / gauge.of)}` : text);
    write(parts.note, note);
    parts.gauge.hidden = !hasEnd;
    if (!hasEnd) return;
    const part = Math.min(1, gauge.used / gauge.of);
    parts.gauge.replaceChildren(draw('svg', { class: 'gauge', 'aria-hidden': 'true', focusable: 'false' },
      draw('rect', { class: 'ground', width: '100%', height: 10, rx: 3 }),
      draw('rect', { class: `used${part >= 1 ? ' is-full' : part >= SHARE_HIGH ? ' is-high' : ''}`, width: `${(part * 100).toFixed(2)}%`, height: 10, rx: 3 })));
  });
}

function showCertificates(certificates) {
  const host = byId('certificates');
  const text = JSON.stringify(certificates ?? null);
  if (host.told === text) return;
  host.told = text;
  if (!certificates) return host.replaceChildren(make('p', { class: 'empty' }, 'No data yet.'));
  if (certificates.length === 0) return host.replaceChildren(make('p', { class: 'empty' }, 'None.'));
  host.replaceChildren(make('ul', {}, ...certificates.map(({ names: of = [], until, days_left: left, kind }) => make('li', {},
    make('p', {}, of.join(', ')),
    make('p', { class: `days${left < DAYS_ALARM ? ' is-bad' : left < DAYS_NOTICE ? ' is-near' : ''}` }, left < 0 ? 'expired' : `${many(Math.floor(left), 'day', 'days')} left`),
    make('p', { class: 'note' }, `until ${isNumber(until) ? moment(until) : 'unknown'}, ${kind}`)))));
}

function fact(name) {
  const value = make('dd');
  const item = make('div', {}, make('dt', {}, name), value);
  item.parts = { value };
  return item;
}

function showState({ anonymous, ladder, tools_off: off, store, reload }) {
  const facts = {
    'Protection ladder': ladder ? `rung ${ladder.step}: ${ladder.words}` : 'no data yet',
    'Use without an account': typeof anonymous?.paused === 'boolean' ? (anonymous.paused ? 'paused' : 'not paused') : 'no data yet',
    'Tools switched off': off ? off.join(', ') || 'none' : 'no data yet',
    Store: store ?? 'no data yet',
    'Last reload': reload ? (reload.configuration_refused || reload.certificate_refused ? 'refused, see the alarms' : 'nothing was refused') : 'no data yet',
    'Waits for the next start': reload?.waits_for_start?.length ? reload.waits_for_start.join(', ') : 'nothing',
  };
  keyed(inside('state', 'dl', 'facts'), Object.keys(facts), fact).forEach(({ parts }, i) => write(parts.value, Object.values(facts)[i]));
}

// --- the whole page

const families = new Families();
const counted = [
  new Counted('errors', 'Errors by type', (step) => step.errors, 'No call ended with an error'),
  new Counted('tools', 'Calls by tool', (step) => step.tools, 'No tool was called'),
];
makeCharts();

function show() {
  if (!answer) return;
  const whole = inOrder();
  const list = shown(whole);
  const found = alarms(whole);
  showAlarms(found);
  showTiles(list);
  for (const chart of charts) chart.show(list);
  families.show(list, whole);
  for (const figure of counted) figure.show(list);
  const gauges = answer.gauges ?? {};
  showBudgets(gauges);
  showCertificates(gauges.certificates);
  showState(gauges);
  const who = [answer.public_base, answer.is_demo ? 'demo catalogue' : null, `version ${answer.version}`, `up ${lasting(answer.now - answer.started)}`];
  write(byId('identity'), who.filter(Boolean).join(' · '));
  const grave = found.filter(({ grade }) => grade === 'alarm').length;
  document.title = `${silentSince ? 'No answer, ' : grave ? `${many(grave, 'alarm', 'alarms')}, ` : ''}ono-sendai`;
}

/** Whether what stands here is of now, and since when it is not. */
function showLife(why) {
  const live = byId('live');
  const banner = byId('silent');
  document.body.classList.toggle('is-stale', silentSince !== null && answer !== null);
  live.classList.toggle('is-live', silentSince === null && answer !== null);
  live.classList.toggle('is-silent', silentSince !== null);
  banner.hidden = silentSince === null;
  if (silentSince === null) {
    write(live, answer ? `Live, answered ${clock(answer.now)}` : 'Waiting for the first answer');
    return;
  }
  const since = clock(answer ? answer.now : silentSince / 1000);
  write(live, answer ? `${lasting((performance.now() - answeredAt) / 1000)} old` : 'No answer yet');
  if (why) write(banner, `The server ${why} since ${since}. ${answer ? 'What stands below is from then. ' : ''}This page goes on trying.`);
}

async function ask() {
  const path = steps.size > 0 ? `/series?after=${Math.max(...steps.keys())}` : '/series';
  let why = SILENT;
  try {
    const response = await fetch(path, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS), cache: 'no-store' });
    why = `has answered ${response.status}`;
    if (!response.ok) throw new Error(why);
    why = SILENT;
    const text = await response.text();
    why = UNREADABLE;
    take(JSON.parse(text));
    silentSince = null;
    show();
    showLife();
  } catch (error) {
    if (why === UNREADABLE) console.error(error);
    silentSince ??= Date.now();
    showLife(why);
    document.title = 'No answer, ono-sendai';
  }
}

let isAsking = false;
async function turn() {
  if (isAsking || document.hidden) return;
  isAsking = true;
  try {
    await ask();
  } finally {
    isAsking = false;
  }
}

function choose(word) {
  range = Object.hasOwn(RANGES, word) ? word : '15min';
  document.querySelector(`input[name="range"][value="${range}"]`).checked = true;
  show();
}

for (const input of document.querySelectorAll('input[name="range"]')) {
  input.addEventListener('change', () => {
    history.replaceState(null, '', `#${input.value}`);
    choose(input.value);
  });
}
window.addEventListener('hashchange', () => choose(location.hash.slice(1)));
document.addEventListener('visibilitychange', turn);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  for (const chart of charts) if (chart.plot) chart.begin();
});
new ResizeObserver(() => {
  for (const figure of strips) figure.redraw();
}).observe(document.querySelector('main'));

choose(location.hash.slice(1));
turn();
setInterval(turn, ASK_EVERY_MS);
setInterval(() => silentSince !== null && showLife(), 1_000);
