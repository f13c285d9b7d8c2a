// Counts by word, as rows of bars.

import { keyed, write } from './pieces.js';
import { RANGES, RANGE_WORDS, ROW_S, answer, names, range, sum, within } from './steps.js';
import { SLOTS, box, row, rowsFigure, strip, strips } from './strips.js';
import { asTable, brief, spread } from './table.js';
import { count } from './words.js';

/** One row of bars for each word that occurred, those that occurred most first. */
export class Counted {
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
    write(this.empty, list.length ? `${this.none} ${within()}.` : 'No data yet.');
    write(this.from, `${RANGE_WORDS[range]} ago`);
    const all = this.totals.reduce((n, [, m]) => n + m, 0);
    write(this.when, all ? `${count(all)} ${within()}` : '');
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
