// What is worth waking somebody for, and what is worth a look.

import { FAMILY_WORDS, since, stands } from './families.js';
import { byId, make, write } from './pieces.js';
import { answer, sum } from './steps.js';
import { clock, count, isNumber, lasting, many, moment, short } from './words.js';

const DAYS_ALARM = 7;
const DAYS_NOTICE = 21;
/** The part of a budget from which on it is nearly used. */
export const SHARE_HIGH = 0.8;

/** How near its end a certificate is: `alarm`, `notice` or nothing. An automatic one is judged by its own life, since it is
 *  renewed long before a tenth of that is left. */
export function ending({ from, until, days_left: left, kind }) {
  if (!isNumber(left)) return null;
  if (left < 0) return 'alarm';
  if (kind === 'automatic' && isNumber(from)) return (until - answer.now) * 10 < until - from ? 'alarm' : null;
  return left < DAYS_ALARM ? 'alarm' : left < DAYS_NOTICE ? 'notice' : null;
}

/** What changed and is read at the next start only: sections, and keys whose files changed. */
export const waits = (reload) => [...(reload?.waits_for_start ?? []), ...(reload?.files_wait_for_start ?? [])];

/** What is wrong with the certificates: with each that is shown, and with the renewal of an automatic one. */
function ofCertificates(add, certificates, renewal) {
  if (renewal?.last_failure) {
    const next = renewal.next_try > answer.now ? `the next is at ${clock(renewal.next_try)}` : 'the next follows';
    add('alarm', `The last try to get the automatic certificate failed: ${renewal.last_failure}`, `: ${many(renewal.tries_failed, 'try', 'tries')} in a row, ${next}`);
  }
  for (const certificate of certificates ?? []) {
    const grade = ending(certificate);
    if (!grade) continue;
    const { names: of = [], until, days_left: left } = certificate;
    const which = `The certificate of ${of.join(', ')}`;
    if (left < 0) add(grade, `${which} has expired`);
    else if (left < 1) add(grade, `${which} ends within a day`, `: in ${lasting(until - answer.now)}`);
    else add(grade, `${which} ends in ${many(Math.floor(left), 'day', 'days')}`);
  }
}

/** What is wrong with the backups that the server writes by itself. */
function ofBackups(add, backups) {
  if (!backups?.is_on) return;
  if (backups.missing) return add('alarm', `The backup that was due is missing: ${backups.missing}`);
  const last = Math.max(backups.last ?? 0, answer.started);
  if (!isNumber(backups.every_s) || answer.now - last <= backups.every_s * 2) return;
  add('alarm', 'No backup was written for more than twice as long as there should be between two', backups.last ? `: the last was of ${moment(backups.last)}` : '');
}

export function alarms(whole) {
  const found = [];
  const add = (grade, text, figures = '') => found.push({ grade, text, figures });
  const gauges = answer.gauges ?? {};
  const { certificates, ladder, upstream_plan: plan } = gauges;
  const reload = gauges.reload ?? {};
  if (!answer.gauges) add('notice', 'The server tells nothing of its own state');
  for (const { part, why } of gauges.not_ready ?? []) add('alarm', `Not ready: ${part}: ${why}`);
  if (reload.configuration_refused) add('alarm', `The configuration was refused, the last good one holds: ${reload.configuration_refused}`);
  if (reload.certificate_refused) add('alarm', `The certificate was refused, the last good one holds: ${reload.certificate_refused}`);
  if (gauges.upstream_key_refused) add('alarm', 'The data service refuses the key of this server', `: HTTP status ${gauges.upstream_key_refused}`);
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
  ofBackups(add, gauges.backups);
  ofCertificates(add, certificates, reload.renewal);
  const { anonymous } = gauges;
  if (anonymous?.of > 0 && anonymous.used >= anonymous.of * SHARE_HIGH) {
    add(anonymous.used >= anonymous.of ? 'alarm' : 'notice', `Use without an account: the day's units are ${anonymous.used >= anonymous.of ? '' : 'nearly '}used, until ${short(anonymous.resets)}`, `: ${count(anonymous.used)} of ${count(anonymous.of)}`);
  }
  const month = plan?.month;
  if (month?.of > 0 && month.used >= month.of * SHARE_HIGH) add(month.used >= month.of ? 'alarm' : 'notice', `The data service's plan: the month's requests are ${month.used >= month.of ? '' : 'nearly '}used`, `: ${count(month.used)} of ${count(month.of)}`);
  if (ladder && (ladder.by_hand || String(ladder.step) !== '0')) add('notice', `Protection ladder, rung ${ladder.step}${ladder.by_hand ? ', set by hand' : ''}: ${ladder.words}`);
  if (anonymous?.paused) add('notice', 'Use without an account is paused');
  if (gauges.tools_off?.length) add('notice', `Switched off: ${gauges.tools_off.join(', ')}`);
  if (gauges.store?.startsWith('tight')) add('notice', `The store is ${gauges.store}`);
  const waiting = waits(reload);
  if (waiting.length) add('notice', `Changed, and read at the next start only: ${waiting.join(', ')}`);
  return found.sort((a, b) => (a.grade < b.grade ? -1 : a.grade > b.grade ? 1 : 0));
}

/** Shows them, and has a screen reader say them when one has come or gone: not whenever a figure changes. */
export function showAlarms(found) {
  const host = byId('alarms');
  const shown = JSON.stringify(found);
  if (host.told === shown) return;
  host.told = shown;
  const item = ({ grade, text, figures }) => make('li', {}, make('strong', { class: `grade ${grade}` }, grade), ' ', make('span', {}, text + figures));
  host.replaceChildren(found.length ? make('ul', {}, ...found.map(item)) : make('p', { class: 'quiet' }, 'None.'));
  write(byId('said'), found.map(({ grade, text }) => `${grade}: ${text}.`).join(' ') || 'No alarms.');
}
