// Looks at the operator's page in a browser, while a server over the simulated data service has calls and one family of
// data fails: on a phone and on a desk, in light and in dark, with keys alone, while the server is gone and after it.
//
//   node operator-page.mjs PROGRAM OUT      PROGRAM is ono-sendai, OUT a folder for screenshots and logs
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import net from 'node:net';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checks, launch, open, overflow } from '../lib/browser.mjs';
import { secret } from '../lib/consent.mjs';
import { followsASetClock, movableClock, tellsOfEverything } from '../lib/operator-told.mjs';

const [program, out] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const VIEWS = [['phone', 390, 844, 'light'], ['phone', 390, 844, 'dark'], ['desk', 1280, 800, 'light'], ['desk', 1280, 800, 'dark']];
const FAMILIES = ['resolve', 'artist', 'search', 'tracks', 'label', 'similar', 'gigs', 'lists', 'aura'];
const ready_within_ms = 15_000;
const between_calls_ms = 60;

const { check, finish } = checks(900);

// --- a server, the data service that it asks, and callers

const KEY = `ck_test_${[...Array(32)].map(() => 'abcdefghijklmnopqrstuvwxyz0123456789'[Math.floor(Math.random() * 36)]).join('')}`;
secret(KEY);
const folder = mkdtempSync(join(process.env.HOME ?? tmpdir(), 'operator-'));
const file = (name, text, mode) => (writeFileSync(join(folder, name), text, { mode }), join(folder, name));
const freePort = () => new Promise((found) => {
  const probe = net.createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address();
    probe.close(() => found(port));
  });
});

const children = new Set();
const run = (name, ...words) => runIn({}, name, ...words);
function runIn(environment, name, ...words) {
  const log = openSync(join(out, `${name}.log`), 'a');
  const child = spawn(program, words, { stdio: ['ignore', log, log], env: { ...process.env, ...environment } });
  children.add(child);
  child.ended = new Promise((ended) => child.on('exit', (code) => (children.delete(child), ended(code))));
  return child;
}
process.on('exit', () => children.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(1));

async function until(what, holds) {
  const end = Date.now() + ready_within_ms;
  while (!(await holds().catch(() => false))) {
    if (Date.now() > end) throw new Error(`${what}: not within ${ready_within_ms} ms`);
    await new Promise((later) => setTimeout(later, 50));
  }
}

const [simulator, port, operator] = [await freePort(), await freePort(), await freePort()];
const scenario = file('scenario.toml', '[[rule]]\nfamily = "artist"\nstatus = 503\n');
const config = file('config.toml', `
[server]
listen = "127.0.0.1:${port}"
public_base = "https://localhost:${port}"
data_dir = "${folder}"
fixture_mode = false
[operator]
listen = "127.0.0.1:${operator}"
[crate]
base_url = "http://127.0.0.1:${simulator}"
key_file = "${file('crate.key', `${KEY}\n`, 0o600)}"
in_flight = 20
per_minute = 100000
per_month = 1000000
[anonymous]
units_per_day = 100000
calls_per_minute = 10000
[log]
level = "trace"
`, 0o600);
const page_address = `http://127.0.0.1:${operator}/`;
run('simulator', 'crate-sim', '--listen', `127.0.0.1:${simulator}`, '--in-flight', '0', '--per-minute', '0', '--scenario', scenario, '--api-key', KEY);
let server;
async function start() {
  server = run('server', 'serve', '--config', config);
  await until('the operator\'s page is served', async () => (await fetch(`${page_address}healthz`)).ok);
}
async function stop() {
  server.kill('SIGTERM');
  return server.ended;
}

const NAMES = ['Four Tet', 'Aphex Twin', 'Nirvana', 'Burial', 'Actress', 'Boards of Canada'];
const agents = [1, 2, 3, 4, 5].map((n) => new https.Agent({ keepAlive: true, localAddress: `127.0.0.${n}` }));
let authority;
function call(n) {
  const name = n % 3 === 0 ? 'get_artist' : 'resolve_artist';
  const text = NAMES[Math.floor(n / 3) % NAMES.length];
  const argument = n % 17 === 0 ? {} : name === 'get_artist' ? { key: text.toLowerCase().replaceAll(' ', '-') } : { q: text };
  const body = JSON.stringify({ jsonrpc: '2.0', id: n, method: 'tools/call', params: { name, arguments: argument } });
  const headers = { 'content-type': 'application/json', accept: 'application/json', 'mcp-protocol-version': '2025-11-25' };
  return new Promise((done) => {
    const request = https.request(`https://localhost:${port}/mcp`, { method: 'POST', agent: agents[n % agents.length], ca: authority, headers, timeout: 5_000 }, (answer) => {
      answer.on('error', done).on('end', done).resume();
    });
    request.on('error', done).on('timeout', () => request.destroy()).end(body);
  });
}
let goesOn = true;
async function traffic() {
  for (let n = 1; goesOn; n += 1) {
    await Promise.all([call(n), new Promise((later) => setTimeout(later, between_calls_ms))]);
  }
}

// --- looking at the page

const text = (page, selector) => page.locator(selector).innerText();
const isLive = (page) => page.waitForFunction(() => document.querySelector('#live').classList.contains('is-live'));

async function look(browser, [size, width, height, colorScheme]) {
  const what = `${size}, ${colorScheme}`;
  const isOwn = (to) => to.origin === new URL(page_address).origin;
  let mayFail = false;
  const settings = { viewport: { width, height }, colorScheme, reducedMotion: 'reduce' };
  const { context, page, complaints, foreign } = await open(browser, settings, isOwn, (words) => mayFail && words.includes('ERR_CONNECTION_REFUSED'));
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener('securitypolicyviolation', (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
  });
  await page.goto(page_address);
  await isLive(page);
  const view = { what, size, page, complaints, foreign };
  view.allowFailures = (may) => (mayFail = may);
  view.close = () => context.close();
  return view;
}

/** What has to be there at once, and what axe says. */
async function examine({ what, page }) {
  await page.waitForFunction(() => /artist.*is degraded/.test(document.querySelector('#alarms').textContent));
  const alarms = await page.locator('#alarms li').allInnerTexts();
  check(`${what}: the degraded family is named first and alone`, alarms.length === 1 && /^alarm\s+artist \(dossiers\) is degraded since/.test(alarms[0]), alarms);
  const said = await page.locator('#said').evaluate((region) => [region.getAttribute('role'), region.textContent]);
  check(`${what}: a screen reader says the alarm, without figures that change`, said[0] === 'status' && /^alarm: artist \(dossiers\) is degraded since \d\d:\d\d( or earlier)?\.$/.test(said[1]), said);
  const rows = await page.locator('#families .rows li').evaluateAll((items) => items.map((item) => [item.querySelector('.name').textContent, item.querySelector('.stands').textContent, item.querySelectorAll('.s-degraded').length]));
  check(`${what}: every family has its strip`, rows.map(([name]) => name).sort().join() === [...FAMILIES].sort().join(), rows);
  const bad = rows.filter(([, stands, hatched]) => /^degraded (since|all along)/.test(stands) && hatched > 0).map(([name]) => name);
  check(`${what}: one family alone is told and hatched as degraded`, bad.join() === 'artist' && rows.every(([name, , hatched]) => name === 'artist' || hatched === 0), rows);
  const identity = await text(page, '#identity');
  check(`${what}: it says what runs`, identity.includes(`https://localhost:${port}`) && /version \d+\.\d+\.\d+/.test(identity) && /up \d+ (s|min)/.test(identity), identity);
  const errors = await text(page, '#errors');
  check(`${what}: errors are told by type`, ['upstream_error', 'upstream_degraded', 'one_of_required'].every((code) => errors.includes(code)), errors);
  const certificates = await text(page, '#certificates');
  check(`${what}: the certificate has days left`, /localhost[\s\S]*\d+ days left/.test(certificates), certificates);
  const budgets = await text(page, '#budgets');
  check(`${what}: the budget and the plan are told`, /[\d,]+ of 100,000[\s\S]*starts anew[\s\S]*of 100,000[\s\S]*of 1,000,000/.test(budgets), budgets);
  const state = await text(page, '#state');
  check(`${what}: the ladder is told`, /rung \S+: .{5}/.test(state), state);
  const drawn = await page.locator('.uplot canvas').evaluateAll((all) => all.map((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  }));
  check(`${what}: five charts are drawn`, drawn.length === 5 && drawn.every((colours) => colours > 8), drawn);
  const unnamed = await page.locator('[role=img]').evaluateAll((all) => all.filter((one) => !(one.getAttribute('aria-label')?.length > 15)).map((one) => one.outerHTML.slice(0, 90)));
  check(`${what}: every chart and strip says what it shows`, unnamed.length === 0, unnamed);
  const tables = await page.locator('figure:has(figcaption h3):has(details summary)').count();
  check(`${what}: every figure has a caption and a table`, tables === 8 && tables === (await page.locator('figure').count()), tables);
  const wide = await overflow(page);
  check(`${what}: the page does not scroll sideways`, wide === 0, wide);
  const moving = await page.evaluate(() => document.getAnimations().length);
  check(`${what}: nothing moves by itself`, moving === 0, moving);
  await axeFindsNothing(what, page);
}

async function axeFindsNothing(what, page) {
  await page.evaluate(axe);
  const { violations, passes } = await page.evaluate(() => window.axe.run(document));
  check(`${what}: axe finds nothing`, violations.length === 0, violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 120)).slice(0, 3)]));
  check(`${what}: axe looked`, passes.length > 15, passes.length);
}

/** How many calls the page tells, once it has a first step. */
async function total({ page }) {
  await page.waitForFunction(() => /^[\d,]+ (in|since) /.test(document.querySelector('#tools .when').textContent));
  return Number((await text(page, '#tools .when')).split(' ')[0].replaceAll(',', ''));
}

/** The figures have changed by themselves since there were so many calls, and are those of the server. */
async function isOfNow(view, before) {
  const { what, page } = view;
  await page.waitForFunction((was) => !document.querySelector('#tools .when').textContent.startsWith(`${was} `), before.toLocaleString('en'));
  const after = await total(view);
  check(`${what}: calls are counted while one looks`, before > 0 && after > before, [before, after]);
  const told = [];
  await until('the figures agree', async () => {
    const { tools } = await (await fetch(`${page_address}series`)).json();
    const sums = Object.fromEntries(Object.entries(tools).map(([name, column]) => [name, column.reduce((a, b) => a + b, 0)]));
    const shown = await page.locator('#tools .rows li').evaluateAll((items) => Object.fromEntries(items.map((item) => [item.querySelector('.name').textContent, Number(item.querySelector('.stands').textContent.replaceAll(',', ''))])));
    told.splice(0, 2, sums, shown);
    return Object.keys(sums).length === 2 && Object.entries(sums).every(([name, n]) => shown[name] === n);
  }).then(() => check(`${what}: the calls by tool are the server's`, true), () => check(`${what}: the calls by tool are the server's`, false, told));
}

/** Every control is reached and works with keys. */
async function walk({ what, page }) {
  await page.evaluate(() => document.activeElement.blur());
  const reached = [];
  for (let n = 0; n < 40; n += 1) {
    await page.keyboard.press('Tab');
    const here = await page.evaluate(() => {
      const element = document.activeElement;
      if (element === document.body) return null;
      const style = getComputedStyle(element.matches('input') ? element.nextElementSibling : element);
      return { name: element.matches('input') ? 'range' : element.textContent.trim(), ring: style.outlineStyle === 'solid' && parseFloat(style.outlineWidth) >= 2 };
    });
    if (!here || here.name === reached[0]?.name) break;
    reached.push(here);
  }
  const wanted = await page.evaluate(() => ['range', ...[...document.querySelectorAll('summary, a[href]')].map((element) => element.textContent.trim())]);
  check(`${what}: Tab reaches every control in its order`, reached.map(({ name }) => name).join('|') === wanted.join('|') && wanted.length === 10, [reached, wanted]);
  check(`${what}: each shows that it is reached`, reached.every(({ ring }) => ring), reached);

  await page.locator('input[name=range]:checked').focus();
  await page.keyboard.press('ArrowRight');
  check(`${what}: an arrow key chooses a range, and the address keeps it`, new URL(page.url()).hash === '#1h' && (await page.locator('input[value="1h"]').isChecked()), page.url());
  check(`${what}: the chosen range is shown`, (await text(page, '#families .span')).startsWith('1 hour ago'), await text(page, '#families .span'));
  await page.goto(`${page_address}#5min`);
  await page.reload();
  await isLive(page);
  check(`${what}: the range of the address is chosen`, await page.locator('input[value="5min"]').isChecked(), page.url());

  for (const figure of ['calls', 'families']) {
    await page.locator(`#${figure} summary`).focus();
    await page.keyboard.press('Enter');
    await page.locator(`#${figure} tbody tr`).first().waitFor();
  }
  const rows = await page.locator('#families tbody tr').allInnerTexts();
  const degraded = rows.filter((words) => /\tyes\t/.test(words));
  check(`${what}: the table tells the degraded family`, degraded.length > 0 && degraded.every((words) => words.startsWith('artist\t')), rows);
  await page.keyboard.press('Tab');
  const region = await page.evaluate(() => document.activeElement.getAttribute('aria-label'));
  check(`${what}: a table can be scrolled with keys`, region === 'Data service by family as a table', region);
}

/** What an operator sets is told while it holds. */
async function pauses(views) {
  const said = (word) => run('admin', 'admin', '--data', folder, 'anonymous', word).ended;
  check('use without an account is paused', (await said('pause')) === 0);
  for (const { what, page } of views) {
    await page.waitForFunction(() => document.querySelector('#alarms').textContent.includes('Use without an account is paused'));
    const alarms = await page.locator('#alarms li').allInnerTexts();
    check(`${what}: that use without an account is paused is a notice`, alarms.some((words) => /^notice\s+Use without an account is paused$/.test(words)), alarms);
    check(`${what}: it stands beside what else holds`, /Use without an account\s+paused/.test(await text(page, '#state')), await text(page, '#state'));
  }
  check('use without an account goes on', (await said('resume')) === 0);
  for (const { what, page } of views) {
    await page.waitForFunction(() => !document.querySelector('#alarms').textContent.includes('is paused'));
    check(`${what}: it is told no longer`, /Use without an account\s+not paused/.test(await text(page, '#state')), await text(page, '#state'));
  }
}

/** A server that tells what it never should: every word of it is shown as it is, and none becomes part of the page. */
async function hostile(browser) {
  const MARKUP = '<img src=x onerror="window.owned=1"><script>window.owned=1</script>"\'>\u202e\u001b[31m';
  const told = await (await fetch(`${page_address}series`)).json();
  const renamed = (columns) => Object.fromEntries([...Object.values(columns).map((column, n) => [`${MARKUP}${n}`, column]), ['constructor', Object.values(columns)[0]]]);
  for (const key of ['errors', 'tools', 'families']) told[key] = renamed(told[key]);
  told.version = told.public_base = MARKUP;
  Object.assign(told.gauges, {
    ladder: { step: MARKUP, words: MARKUP }, tools_off: [MARKUP, MARKUP], store: `refusing: ${MARKUP}`, upstream_key_refused: MARKUP, not_ready: [{ part: MARKUP, why: MARKUP }],
    reload: { configuration_refused: MARKUP, certificate_refused: MARKUP, waits_for_start: [MARKUP], files_wait_for_start: [MARKUP], renewal: { next_try: MARKUP, last_failure: MARKUP, tries_failed: MARKUP } },
    backups: { is_on: true, every_s: MARKUP, written: MARKUP, failed: MARKUP, put_off: MARKUP, last: MARKUP, missing: MARKUP },
    certificates: [{ names: [MARKUP], from: MARKUP, until: told.now, days_left: 1, kind: MARKUP }],
  });
  const body = JSON.stringify(told).replace('"constructor"', '"__proto__"');
  const isOwn = (to) => to.origin === new URL(page_address).origin;
  const { context, page, complaints, foreign } = await open(browser, { viewport: { width: 1280, height: 800 } }, isOwn);
  await page.route('**/series*', (route) => route.fulfill({ contentType: 'application/json', body }));
  await page.goto(page_address);
  await isLive(page);
  for (const summary of await page.locator('summary').all()) await summary.click();
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length > 8);
  const seen = await page.evaluate((markup) => ({
    owned: window.owned ?? null,
    made: document.querySelectorAll('img, iframe, object, embed, link[rel=import], script:not([src]), [onerror]').length,
    places: ['#alarms', '#identity', '#state', '#certificates', '#errors', '#tools', '#families'].filter((id) => !document.querySelector(id).textContent.includes(markup)),
    polluted: ({}).asked ?? null,
  }), MARKUP);
  check('hostile words: none becomes part of the page', seen.owned === null && seen.made === 0 && seen.polluted === null, seen);
  check('hostile words: each is shown as it is', seen.places.length === 0, seen.places);
  check('hostile words: nothing is asked elsewhere, and nothing fails', foreign.length === 0 && complaints.length === 0, [foreign, complaints]);
  await context.close();
}

/** A server of its own, whose clock is set back while the page looks. */
async function withItsClockSetBack(browser) {
  const clock = movableClock(['x86_64', 'aarch64'].map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`).filter(existsSync), join(folder, 'clock'));
  if (!clock) return console.log('SKIPPED: a clock that is set back: there is no libfaketime');
  const [port, operator] = [await freePort(), await freePort()];
  const data = mkdtempSync(join(folder, 'clock-'));
  const config = file('clock.toml', `[server]\nlisten = "127.0.0.1:${port}"\npublic_base = "https://localhost:${port}"\ndata_dir = "${data}"\n[operator]\nlisten = "127.0.0.1:${operator}"\n[log]\nlevel = "trace"\n`, 0o600);
  const address = `http://127.0.0.1:${operator}/`;
  const child = runIn(clock.environment, 'server', 'serve', '--config', config);
  await until('its page is served', async () => (await fetch(`${address}healthz`)).ok);
  await followsASetClock({ browser, address, check, setClock: clock.set });
  child.kill('SIGTERM');
  check('the server with the clock ends when told to', (await child.ended) === 0);
}

/** What the policy keeps from happening is told, so that silence means something. */
async function planted({ what, page, complaints }) {
  const before = [...complaints];
  const none = await page.evaluate(() => [...window.violations]);
  check(`${what}: the browser does not complain`, before.length === 0, before);
  check(`${what}: the page keeps to its policy`, none.length === 0, none);
  await page.evaluate(() => {
    document.body.setAttribute('style', 'color: red');
    const image = document.createElement('img');
    image.src = 'https://other.example/a.png';
    document.body.append(image);
    fetch('https://other.example/').catch(() => null);
  });
  const found = () => page.evaluate(() => window.violations.map((line) => line.split(' ')[0]));
  const held = async () => ['style-src-attr', 'img-src', 'connect-src'].every((kind) => kinds.includes(kind));
  let kinds = [];
  await until('three things are held back', async () => ((kinds = await found()), held())).catch(() => null);
  check(`${what}: styles, images and requests of elsewhere are held back`, await held(), kinds);
}

const browser = await launch();
try {
  await start();
  authority = readFileSync(join(folder, 'demo-cert.pem'));
  const calls = traffic();
  const views = await Promise.all(VIEWS.map((view) => look(browser, view)));
  const first = await Promise.all(views.map(total));
  for (const view of views) await examine(view);
  for (const view of views.filter(({ what }) => what.endsWith('light'))) await walk(view);
  await Promise.all(views.map((view, index) => isOfNow(view, first[index])));
  await pauses(views);
  await hostile(browser);
  await Promise.all([tellsOfEverything({ browser, address: page_address, check }), withItsClockSetBack(browser)]);
  for (const { page, what } of views) await page.screenshot({ path: join(out, `${what.replace(', ', '-')}.png`), fullPage: true });

  for (const view of views) view.allowFailures(true);
  check('the server ends when told to', (await stop()) === 0);
  for (const { page, what } of views) {
    await page.locator('#silent').waitFor();
    const words = await text(page, '#silent');
    check(`${what}: the page says that the server does not answer, and since when`, /^The server has not answered since \d\d:\d\d:\d\d\. What stands below is from then/.test(words), words);
    const drained = await page.evaluate(() => [document.title, getComputedStyle(document.querySelector('.strip')).filter, document.querySelector('#live').textContent]);
    check(`${what}: what is old looks old and says how old`, drained[0].startsWith('No answer') && drained[1] === 'grayscale(1)' && /^\d+ s old$/.test(drained[2]), drained);
  }
  await axeFindsNothing('silent', views[0].page);
  await views[2].page.screenshot({ path: join(out, 'silent-desk-light.png'), fullPage: true });
  await views[1].page.screenshot({ path: join(out, 'silent-phone-dark.png') });
  await start();
  for (const { page, what } of views) {
    await isLive(page);
    check(`${what}: it goes on by itself once the server answers`, (await page.locator('#silent').isHidden()) && /up \d+ s/.test(await text(page, '#identity')), await text(page, '#live'));
  }
  for (const { what, foreign } of views) check(`${what}: no other host is asked`, foreign.length === 0, foreign);
  for (const view of views) await planted(view);
  goesOn = false;
  await calls;
  for (const { close } of views) await close();
  check('the server ends when told to, again', (await stop()) === 0);
} finally {
  await browser.close();
}
finish("the operator's page");
