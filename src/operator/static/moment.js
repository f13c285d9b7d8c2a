// Figures of this moment.

import { SHARE_HIGH, ending, waits } from './alarms.js';
import { byId, draw, inside, keyed, make, write } from './pieces.js';
import { answer, latest, sum } from './steps.js';
import { clock, count, isNumber, lasting, many, moment, rate, share, time } from './words.js';

export function tile(name) {
  const parts = { value: make('dd', { class: 'value' }), note: make('dd', { class: 'note' }) };
  const item = make('div', { class: 'card' }, make('dt', {}, name), parts.value, parts.note);
  item.parts = parts;
  return item;
}

export function showTiles(list) {
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

export function budget(name) {
  const parts = { figure: make('p'), gauge: make('div'), note: make('p', { class: 'note' }) };
  const item = make('div', { class: 'budget' }, make('div', { class: 'head' }, make('p', {}, name), parts.figure), parts.gauge, parts.note);
  item.parts = parts;
  return item;
}

export function showBudgets({ anonymous, accounts, upstream_plan: plan }) {
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

export function showCertificates(certificates) {
  const host = byId('certificates');
  const text = JSON.stringify([certificates ?? null, (certificates ?? []).map(ending)]);
  if (host.told === text) return;
  host.told = text;
  if (!certificates) return host.replaceChildren(make('p', { class: 'empty' }, 'No data yet.'));
  if (certificates.length === 0) return host.replaceChildren(make('p', { class: 'empty' }, 'None.'));
  host.replaceChildren(make('ul', {}, ...certificates.map((certificate) => {
    const { names: of = [], until, days_left: left, kind } = certificate;
    const near = { alarm: ' is-bad', notice: ' is-near' }[ending(certificate)] ?? '';
    return make('li', {},
      make('p', {}, of.join(', ')),
      make('p', { class: `days${near}` }, left < 0 ? 'expired' : `${many(Math.floor(left), 'day', 'days')} left`),
      make('p', { class: 'note' }, `until ${isNumber(until) ? moment(until) : 'unknown'}, ${kind}`));
  })));
}

export function fact(name) {
  const value = make('dd');
  const item = make('div', {}, make('dt', {}, name), value);
  item.parts = { value };
  return item;
}

/** How the backups stand that the server writes by itself. */
function ofBackups(backups) {
  if (!backups) return 'no data yet';
  if (!backups.is_on) return 'none are written';
  const last = isNumber(backups.last) ? `the last of ${moment(backups.last)}` : 'none yet';
  return `${last}; since the start ${count(backups.written)} written, ${count(backups.failed)} failed, ${count(backups.put_off)} put off`;
}

/** How the automatic certificate stands, where there is one. */
function ofRenewal({ next_try: next, last_failure: failure }) {
  const when = isNumber(next) && next > answer.now ? moment(next) : 'now';
  return failure ? `the last try failed, the next: ${when}` : `the next try: ${when}`;
}

export function showState({ anonymous, ladder, tools_off: off, store, backups, reload }) {
  const facts = {
    'Protection ladder': ladder ? `rung ${ladder.step}${ladder.by_hand ? ', set by hand' : ''}: ${ladder.words}` : 'no data yet',
    'Use without an account': typeof anonymous?.paused === 'boolean' ? (anonymous.paused ? 'paused' : 'not paused') : 'no data yet',
    'Tools switched off': off ? off.join(', ') || 'none' : 'no data yet',
    Store: store ?? 'no data yet',
    Backups: ofBackups(backups),
    ...(reload?.renewal && { 'Automatic certificate': ofRenewal(reload.renewal) }),
    'Last reload': reload ? (reload.configuration_refused || reload.certificate_refused ? 'refused, see the alarms' : 'nothing was refused') : 'no data yet',
    'Waits for the next start': waits(reload).join(', ') || 'nothing',
  };
  keyed(inside('state', 'dl', 'facts'), Object.keys(facts), fact).forEach(({ parts }, i) => write(parts.value, Object.values(facts)[i]));
}
