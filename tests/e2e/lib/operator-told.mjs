// What the operator's page makes of what a server tells: of figures that no short run of a server would have, and of a
// server whose clock is set back.
import { renameSync, writeFileSync } from 'node:fs';
import { open } from './browser.mjs';

const DAY_S = 86_400;
const SEEN_WITHIN_MS = 30_000;

/** Opens the page on `/series` with `change` made to it, and hands what stands there to `judge`. */
async function told(browser, address, change, judge) {
  const document = await (await fetch(`${address}series`)).json();
  change(document, document.gauges);
  const isOwn = (to) => to.origin === new URL(address).origin;
  const { context, page, complaints } = await open(browser, { viewport: { width: 1280, height: 800 } }, isOwn);
  await page.route('**/series*', (route) => route.fulfill({ contentType: 'application/json', body: JSON.stringify(document) }));
  await page.goto(address);
  await page.waitForFunction(() => document.querySelector('#live').classList.contains('is-live'));
  const alarms = await page.locator('#alarms li').allInnerTexts();
  const state = (await page.locator('#state').innerText()).replaceAll('\n', ' ');
  await judge({ page, state, alarms, has: (pattern) => alarms.some((words) => pattern.test(words.replace(/\s+/g, ' '))) }, document);
  await context.close();
  return complaints;
}

/** Leaves of a document the last `count` steps. */
function cut(document, count) {
  const shorten = (value) => (Array.isArray(value) ? value.slice(-count) : value && typeof value === 'object' ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shorten(inner)])) : value);
  for (const key of Object.keys(document)) if (key !== 'gauges') document[key] = shorten(document[key]);
}

/** What is an alarm, what is none, and what is said of what there is not. */
export async function tellsOfEverything({ browser, address, check }) {
  const complaints = [];
  const says = async (change, judge) => complaints.push(...await told(browser, address, change, judge));
  const certificate = (kind, from, until) => ({ names: ['mcp.example.org'], from, until, days_left: Math.floor((until - from) / DAY_S), kind });
  const shows = (kind, lived, left) => (document, gauges) => {
    const { now } = document;
    gauges.certificates = [{ ...certificate(kind, now - lived * DAY_S, now + left * DAY_S), days_left: Math.floor(left) }];
  };
  for (const [kind, lived, left, grade] of [
    ['automatic', 1, 5, null], ['automatic', 4, 2, null], ['automatic', 80, 10, null],
    ['automatic', 82, 8, 'alarm'], ['automatic', 5.5, 0.5, 'alarm'], ['automatic', 90, -1, 'alarm'],
    ['file', 1, 5, 'alarm'], ['file', 80, 10, 'notice'], ['credential', 300, 30, null],
  ]) {
    await says(shows(kind, lived, left), ({ alarms, has, page }) => {
      const ends = has(/certificate of mcp\.example\.org/);
      check(`a certificate (${kind}) of ${lived + left} days with ${left} left: ${grade ?? 'nothing'} is told`, grade ? has(new RegExp(`^${grade} The certificate of mcp\\.example\\.org`)) : !ends, alarms);
      return page;
    });
  }
  await says((document, gauges) => {
    shows('automatic', 20, 70)(document, gauges);
    gauges.reload.renewal = { next_try: document.now + 600, last_failure: 'the authority refuses', tries_failed: 3 };
  }, ({ alarms, has, state }) => {
    check('a renewal that fails is an alarm while the certificate is good', has(/^alarm The last try to get the automatic certificate failed: the authority refuses: 3 tries in a row, the next is at \d\d:\d\d:\d\d$/), alarms);
    check('it stands in the state', /Automatic certificate the last try failed, the next: /.test(state), state);
  });
  await says((document, gauges) => {
    gauges.reload.renewal = { next_try: document.now + DAY_S, last_failure: null, tries_failed: 0 };
  }, ({ alarms, has, state }) => check('a renewal that is due later is no alarm', !has(/automatic certificate/) && /Automatic certificate the next try: \d/.test(state), [alarms, state]));

  const backups = { is_on: true, every_s: 3_600, written: 4, failed: 0, put_off: 0, last: null, missing: null };
  await says((document, gauges) => {
    gauges.backups = { ...backups, failed: 1, last: document.now - 4_000, missing: 'the disk is full' };
  }, ({ alarms, has, state }) => {
    check('a backup that failed is an alarm', has(/^alarm The backup that was due is missing: the disk is full$/), alarms);
    check('the state tells of backups', /Backups the last of .*; since the start 4 written, 1 failed, 0 put off/.test(state), state);
  });
  for (const [age, started, isOld] of [[7_100, 90_000, false], [7_300, 90_000, true], [90_000, 60, false], [null, 7_300, true], [null, 60, false]]) {
    await says((document, gauges) => {
      document.started = document.now - started;
      gauges.backups = { ...backups, last: age === null ? null : document.now - age };
    }, ({ alarms, has }) => check(`the last backup ${age === null ? 'that there is not' : `of ${age} s ago`}, ${started} s after the start: ${isOld ? 'an' : 'no'} alarm`, has(/^alarm No backup was written for more than twice/) === isOld, alarms));
  }
  await says((_document, gauges) => (gauges.backups = { ...backups, is_on: false, every_s: null }), ({ alarms, has, state }) =>
    check('no backups are no alarm', !has(/backup/i) && /Backups none are written/.test(state), [alarms, state]));

  for (const status of [null, 401]) {
    await says((_document, gauges) => (gauges.upstream_key_refused = status), ({ alarms, has }) =>
      check(`a key that the data service ${status ? 'refuses is an alarm' : 'takes is none'}`, has(/^alarm The data service refuses the key of this server: HTTP status 401$/) === (status !== null), alarms));
  }

  await says((_document, gauges) => Object.assign(gauges.reload, { waits_for_start: ['deadlines'], files_wait_for_start: ['crate.key_file'] }), ({ alarms, has, state }) => {
    check('a file that waits for the next start is told beside a section that does', has(/^notice Changed, and read at the next start only: deadlines, crate\.key_file$/), alarms);
    check('it stands in the state too', /Waits for the next start deadlines, crate\.key_file/.test(state), state);
  });
  for (const step of ['0', '2']) {
    await says((_document, gauges) => (gauges.ladder = { step, words: 'so much is given up', by_hand: true }), ({ alarms, has, state }) => {
      check(`rung ${step} that was set by hand is told as such`, has(new RegExp(`^notice Protection ladder, rung ${step}, set by hand: so much is given up$`)) && state.includes(`rung ${step}, set by hand: so much`), [alarms, state]);
    });
  }

  await says((document) => {
    cut(document, 6);
    const { length } = document.t;
    document.families.gigs = { state: Array(length).fill('none'), asked: Array(length).fill(4), failed: Array(length).fill(4) };
    document.families.aura = { state: Array(length).fill('none'), asked: Array(length).fill(4), failed: Array(length).fill(1) };
    document.connections.fill(0);
  }, async ({ page }) => {
    const drawn = (name) => page.locator('#families .rows li').filter({ has: page.locator('.name', { hasText: new RegExp(`^${name}$`) }) }).evaluate((row) => ({
      words: row.querySelector('.stands').textContent, classes: [...new Set([...row.querySelectorAll('rect')].map((part) => part.getAttribute('class')))],
    }));
    const [all, some] = [await drawn('gigs'), await drawn('aura')];
    check('a family all of whose requests failed has nothing of one that answers', /^(\d+) of \1 failed$/.test(all.words) && all.classes.includes('s-lost') && !all.classes.some((name) => /s-failed|s-answered/.test(name)), all);
    check('one of which some failed is drawn as such', some.classes.includes('s-failed-mark') && !some.classes.includes('s-lost'), some);
    const connections = await page.locator('#connections').innerText();
    check('no connection at a look is none, and not one that was never counted', /open\s+0/.test(connections) && !/counted|No data|None was/.test(connections.split('As a table')[0]), connections);
  });
  for (const [age, words] of [[31, 'No call ended since the start.'], [9_000, 'No call ended since ']]) {
    await says((document) => {
      cut(document, 3);
      document.started = document.now - age;
      for (const column of Object.values(document.latency_ms)) column.fill(null);
    }, async ({ page }) => {
      const said = await page.locator('#latency .empty').innerText();
      check(`with a few seconds of figures, ${age} s after the start, no more is said of`, said.startsWith(words) && !said.includes('in the last'), said);
    });
  }
  check('the browser does not complain of anything that a server tells', complaints.length === 0, complaints);
}

/** The page and the server keep the same steps when the server's clock is set back, by much or by little. */
export async function followsASetClock({ browser, address, check, setClock }) {
  const isOwn = (to) => to.origin === new URL(address).origin;
  const { context, page } = await open(browser, { viewport: { width: 1280, height: 800 } }, isOwn);
  const served = async () => (await fetch(`${address}series`)).json();
  const shown = () => page.evaluate(async () => {
    const { steps, answer } = await import('/steps.js');
    return { t: [...steps.keys()].sort((a, b) => a - b), calls: [...steps.values()].sort((a, b) => a.t - b.t).map(({ calls }) => calls), answered: answer?.now ?? null };
  });
  const until = async (holds) => {
    for (const end = Date.now() + SEEN_WITHIN_MS; Date.now() < end; await new Promise((later) => setTimeout(later, 200))) if (await holds()) return true;
    return false;
  };
  await page.goto(address);
  let before = 0;
  check('the page has steps before the clock is set', await until(async () => (await shown()).t.length >= 4), await shown());
  for (const back_s of [6, 3_700]) {
    setClock(back_s);
    let seen = {};
    const agree = async () => {
      const server = await served();
      const here = await shown();
      seen = { server: [server.set_back, server.t], here: here.t };
      return server.set_back > before && here.t.length >= 2 && JSON.stringify([here.t, here.calls]) === JSON.stringify([server.t, server.calls]);
    };
    check(`a clock that is set back ${back_s} s leaves the page with the steps of the server and no other`, await until(agree), seen);
    check(`and with none that lies ahead, ${back_s} s back`, (({ t, answered }) => t.every((one) => one <= answered))(await shown()), await shown());
    before = (await served()).set_back;
  }
  await context.close();
}

/** The environment of a program whose clock `set` moves back, further each time; `null` where there is no libfaketime. */
export function movableClock(libraries, file) {
  const [library] = libraries;
  if (!library) return null;
  let behind = 0;
  const set = (back_s) => {
    behind += back_s;
    writeFileSync(`${file}.new`, `-${behind}\n`);
    renameSync(`${file}.new`, file);
  };
  set(0);
  return { set, environment: { LD_PRELOAD: library, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' } };
}
