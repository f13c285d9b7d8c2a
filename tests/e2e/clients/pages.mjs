// Every page that a person can reach, looked at by axe on a phone in light and on a desk in dark; with ONO_PAGES=all
// the other two as well.
//
//   node pages.mjs URL OUT      URL is the landing page, OUT a folder for screenshots
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { checks, launch, open, overflow } from '../lib/browser.mjs';

const [url, out] = process.argv.slice(2);
const origin = new URL(url).origin;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const VIEWS = [['phone', 390, 844, 'light'], ['desk', 1280, 900, 'dark']];
if (process.env.ONO_PAGES === 'all') VIEWS.push(['phone', 390, 844, 'dark'], ['desk', 1280, 900, 'light']);
mkdirSync(out, { recursive: true });

const { check, finish } = checks(900);

/** Where a client sends a person to sign in, as its documents say. */
async function consentAddress(redirect) {
  const json = async (address, init) => (await fetch(address, init)).json();
  const { authorization_servers: [issuer] } = await json(`${origin}/.well-known/oauth-protected-resource`);
  const { pathname } = new URL(issuer);
  const found = await json(`${origin}/.well-known/oauth-authorization-server${pathname}`);
  const client = await json(found.registration_endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'A client with a name that is long enough to need more than one line on a phone',
      redirect_uris: ['http://127.0.0.1:53682/callback'],
      token_endpoint_auth_method: 'none',
    }),
  });
  const address = new URL(found.authorization_endpoint);
  address.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirect,
    code_challenge: createHash('sha256').update(randomBytes(32).toString('hex')).digest('base64url'),
    code_challenge_method: 'S256',
    resource: `${origin}/mcp`,
    state: 'a-state',
  });
  return address.href;
}

const pages = {
  landing: url,
  docs: `${origin}/docs/agents/`,
  ...Object.fromEntries(
    ['connect', 'tools', 'envelope', 'errors-and-limits', 'data-posture'].map((name) => [`docs-${name}`, `${origin}/docs/agents/${name}`]),
  ),
  ...Object.fromEntries(['privacy', 'terms', 'support'].map((name) => [`legal-${name}`, `${origin}/legal/${name}`])),
  consent: await consentAddress('http://127.0.0.1:53682/callback'),
  'consent-problem': await consentAddress('http://127.0.0.1:53682/another'),
};

const browser = await launch();
try {
  for (const [size, width, height, colorScheme] of VIEWS) {
    const settings = { viewport: { width, height }, colorScheme };
    const isOwn = (to) => to.origin === origin;
    const is400 = (text) => text.includes('400');
    const { context, page, complaints, foreign } = await open(browser, settings, isOwn, is400);
    for (const [name, address] of Object.entries(pages)) {
      const what = `${name}, ${size}, ${colorScheme}`;
      await page.goto(address);
      if (name === 'landing') {
        // With an answer on it.
        await page.getByRole('button', { name: 'Ask' }).click();
        await page.waitForFunction(() => document.getElementById('answer').textContent.includes('name_collision'));
      }
      const inline = await page.evaluate(() => [
        ...[...document.scripts].filter((script) => !script.src).map((script) => script.outerHTML),
        ...[...document.querySelectorAll('*')].filter((element) => element.getAttributeNames().some((field) => field.startsWith('on'))).map((element) => element.outerHTML),
      ]);
      check(`${what}: no inline script`, inline.length === 0, inline);
      await page.evaluate(axe);
      const { violations, passes } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
      const bad = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      check(`${what}: axe finds nothing serious`, bad.length === 0, bad.map(({ id, nodes }) => [id, nodes.map((node) => node.html).slice(0, 3)]));
      check(`${what}: axe looked`, passes.length > 5, passes.length);
      const wide = await overflow(page);
      check(`${what}: the page does not scroll sideways`, wide === 0, wide);
      await page.screenshot({ path: `${out}/${name}-${size}-${colorScheme}.png`, fullPage: name !== 'docs-tools' });
    }
    check(`${size}, ${colorScheme}: no other host is asked`, foreign.length === 0, foreign);
    check(`${size}, ${colorScheme}: the browser does not complain`, complaints.length === 0, complaints);
    await context.close();
  }
} finally {
  await browser.close();
}
finish(`${Object.keys(pages).length} pages under axe`);
