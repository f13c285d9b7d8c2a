// The operator's page: asks the server for its series again and again and shows them. What is not known is said to be
// not known, and what is old is said to be old.

import { alarms, showAlarms } from './alarms.js';
import { charts, makeCharts } from './charts.js';
import { Counted } from './counted.js';
import { Families } from './families.js';
import { showBudgets, showCertificates, showState, showTiles } from './moment.js';
import { byId, write } from './pieces.js';
import { answer, answeredAt, choose, inOrder, missing, range, shown, take } from './steps.js';
import { strips } from './strips.js';
import { clock, lasting, many } from './words.js';

/** All that the server keeps. */
const WHOLE = '/series';
const ASK_EVERY_MS = 2_000;
const ANSWER_WITHIN_MS = 5_000;
const SILENT = 'has not answered';
const UNREADABLE = 'has sent what this page cannot read';

let silentSince = null;
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
  let why = SILENT;
  const told = async (path) => {
    const response = await fetch(path, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS), cache: 'no-store' });
    why = `has answered ${response.status}`;
    if (!response.ok) throw new Error(why);
    why = SILENT;
    const text = await response.text();
    why = UNREADABLE;
    return JSON.parse(text);
  };
  try {
    const path = missing();
    if (!take(await told(path), path === WHOLE)) {
      why = SILENT;
      take(await told(WHOLE), true);
    }
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

function turnTo(word) {
  choose(word);
  document.querySelector(`input[name="range"][value="${range}"]`).checked = true;
  show();
}

for (const input of document.querySelectorAll('input[name="range"]')) {
  input.addEventListener('change', () => {
    history.replaceState(null, '', `#${input.value}`);
    turnTo(input.value);
  });
}
window.addEventListener('hashchange', () => turnTo(location.hash.slice(1)));
document.addEventListener('visibilitychange', turn);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  for (const chart of charts) if (chart.plot) chart.begin();
});
new ResizeObserver(() => {
  for (const figure of strips) figure.redraw();
}).observe(document.querySelector('main'));

turnTo(location.hash.slice(1));
turn();
setInterval(turn, ASK_EVERY_MS);
setInterval(() => silentSince !== null && showLife(), 1_000);
