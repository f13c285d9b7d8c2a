// The families of the data service: how each stood, and since when.

import { draw, keyed, make, write } from './pieces.js';
import { RANGES, RANGE_WORDS, answer, names, range, sum } from './steps.js';
import { SLOTS, box, row, rowsFigure, strip, strips } from './strips.js';
import { asTable, brief } from './table.js';
import { count, many, short } from './words.js';

export const FAMILY_WORDS = {
  resolve: 'names and ids', artist: 'dossiers', search: 'the catalogue', tracks: 'by title', label: 'dossiers',
  similar: 'who is alike', gigs: 'dated events', lists: 'who is rising', aura: 'scores',
};

/** How a family can stand, the worst first. */
export const STANDS = {
  degraded: { word: 'degraded: not being asked', short: 'yes', paint: (x, w, h) => [box('s-degraded', x, 0.5, w, h - 1)] },
  lost: { word: 'all failed', paint: (x, w, h) => [box('s-lost', x, 0, w, h)] },
  failed: { word: 'some failed', paint: (x, w, h) => [box('s-failed', x, 0, w, h), box('s-failed-mark', x, h - 7, w, 7)] },
  answered: { word: 'answered', paint: (x, w, h) => [box('s-answered', x, 0, w, h)] },
  idle: { word: 'not asked', paint: (x, w, h) => [box('s-idle', x, h / 2 - 2, w, 4)] },
  unknown: { word: 'no data', short: 'no data', paint: (x, w, h) => [box('s-unknown', x, 0, w, h)] },
};

export function stands(family) {
  if (!family || family.state === null) return 'unknown';
  if (family.state === 'degraded') return 'degraded';
  if (family.state === 'no_data' || !family.asked) return 'idle';
  if (!family.failed) return 'answered';
  return family.failed < family.asked ? 'failed' : 'lost';
}

/** Runs of equal standing of one family, oldest first; `as` says which are equal. */
export function runsOf(list, name, as = (is) => is) {
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
export function since(whole, name) {
  const runs = runsOf(whole, name);
  return { from: short(runs.at(-1).from), isFirst: runs.length === 1 };
}

/** The same in as many equal parts as an eye can tell apart, each as bad as its worst moment. */
export function slots(runs) {
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

export class Families {
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
    parts.stands.classList.toggle('is-bad', is === 'degraded' || (asked > 0 && failed >= asked));
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
