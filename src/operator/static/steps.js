// What the server has told, step by step, and the range that is shown. Knows nothing of the page, so that it is tested
// without one.

import { clock, isNumber } from './words.js';

export const RANGES = { '5min': 300, '15min': 900, '1h': 3_600 };
export const RANGE_WORDS = { '5min': '5 minutes', '15min': '15 minutes', '1h': '1 hour' };
/** How many seconds a row of a table of times has, by range. */
export const ROW_S = { '5min': 30, '15min': 60, '1h': 300 };

/** Steps by their time, as far back as the server keeps them. */
export const steps = new Map();
export let answer = null;
export let answeredAt = 0;

export const at = (columns, index) =>
  Object.fromEntries(Object.entries(columns ?? {}).map(([name, column]) => [name, column?.[index] ?? null]));

/** What is asked for: what is newer than all that is here. */
export const missing = () => (steps.size > 0 ? `/series?after=${Math.max(...steps.keys())}` : '/series');

/**
 * Takes an answer. `isWhole` says that it has all that the server keeps. Where it is not, and another run of the server
 * answers or its clock was set back, it is not taken: what came since may be older than what is here, and all has to be
 * asked for anew. Returns whether it was taken.
 */
export function take(told, isWhole) {
  if (!told || !Array.isArray(told.t) || ![told.now, told.started, told.step_s].every(isNumber)) throw new Error('unreadable');
  if (!isWhole && answer && (told.started !== answer.started || told.set_back !== answer.set_back)) return false;
  // What was before a restart stays, with a gap; all else is as the server has it now.
  if (isWhole) for (const t of steps.keys()) if (t >= Math.min(told.t[0] ?? told.started, told.started)) steps.delete(t);
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
  // What would lie ahead is of a clock that was set back.
  for (const t of steps.keys()) if (t <= told.now - (told.kept_s ?? 3_600) || t > told.now) steps.delete(t);
  answer = told;
  answeredAt = performance.now();
  return true;
}

export let range = '15min';

export function choose(word) {
  range = Object.hasOwn(RANGES, word) ? word : '15min';
}

/** Since when the figures of the range are, in words: no longer than there are any. */
export function within() {
  const first = Math.min(...steps.keys());
  if (first - answer.step_s <= answer.now - RANGES[range] + answer.step_s) return range === '1h' ? 'in the last hour' : `in the last ${RANGE_WORDS[range]}`;
  return first > answer.started ? 'since the start' : `since ${clock(first - answer.step_s)}`;
}

/** Those of the chosen range. */
export const shown = (whole) => whole.filter(({ t }) => t > answer.now - RANGES[range]);

/** All steps, oldest first, with an empty one wherever some are missing. */
export function inOrder() {
  const whole = [];
  for (const step of [...steps.values()].sort((a, b) => a.t - b.t)) {
    const before = whole.at(-1);
    if (before && step.t - before.t > answer.step_s * 1.5) whole.push({ t: step.t - answer.step_s, isGap: true });
    whole.push(step);
  }
  return whole;
}

export const sum = (list, of) => list.reduce((total, step) => total + (of(step) ?? 0), 0);
export const highest = (list, of) => list.reduce((most, step) => (isNumber(of(step)) && (most === null || of(step) > most) ? of(step) : most), null);
export const mean = (list, of) => {
  const values = list.map(of).filter(isNumber);
  return values.length ? values.reduce((a, b) => a + b, 0) / values.length : null;
};
export const latest = (list, of) => list.findLast((step) => isNumber(of(step)));
export const names = (list, of) => [...new Set(list.flatMap((step) => Object.keys(of(step) ?? {})))];
