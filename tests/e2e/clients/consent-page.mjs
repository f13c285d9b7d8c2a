// Goes through the consent page of the built-in issuer in a browser, as a person would: with a mouse and with keys
// alone, on a phone and on a desk, saying yes and saying no.
//
//   node consent-page.mjs URL OUT      URL is a linked address, OUT a folder for screenshots
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import http from 'node:http';
import { checks, launch, open, overflow } from '../lib/browser.mjs';
import { secret } from '../lib/consent.mjs';

const [url, out] = process.argv.slice(2);
mkdirSync(out, { recursive: true });

const { check, finish } = checks();

// The client: it waits for the browser at its own address on this machine.
const arrivals = [];
const client = http.createServer((request, response) => {
  if (request.url.startsWith('/callback')) arrivals.push(new URL(request.url, 'http://127.0.0.1').searchParams);
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end('<!doctype html><title>Signed in</title><p>You may close this page.</p>');
});
await new Promise((listening) => client.listen(0, '127.0.0.1', listening));
const callback = `http://127.0.0.1:${client.address().port}/callback`;

const origin = new URL(url).origin;
const json = async (address, more) => (await fetch(address, more)).json();
const resource = await json(`${origin}/.well-known/oauth-protected-resource${new URL(url).pathname}`);
const [issuer] = resource.authorization_servers;
const metadata = await json(`${origin}/.well-known/oauth-authorization-server/issuer`);
check('the metadata names the issuer', metadata.issuer === issuer, metadata);
const registered = await json(metadata.registration_endpoint, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ client_name: 'A client with <b>markup</b> & a long name, as clients have them', redirect_uris: [callback] }),
});
const verifier = randomBytes(32).toString('base64url');
secret(verifier);
const address = (state) =>
  `${metadata.authorization_endpoint}?${new URLSearchParams({
    client_id: registered.client_id,
    response_type: 'code',
    redirect_uri: callback,
    state,
    scope: 'openid offline_access',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: resource.resource,
  })}`;

/** What the client is told after `act`. */
async function arrived(page, state, act) {
  const before = arrivals.length;
  await act();
  await page.waitForURL(`${callback}**`);
  const fields = arrivals[before];
  check(`${state}: the state comes back with the issuer`, fields?.get('state') === state && fields.get('iss') === issuer, String(fields));
  secret(fields?.get('code'));
  return fields;
}

/** Who the client is signed in as. */
async function used(code) {
  const tokens = await json(metadata.token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'authorization_code', client_id: registered.client_id, code, redirect_uri: callback, code_verifier: verifier, resource: resource.resource }),
  });
  secret(tokens.access_token, tokens.refresh_token);
  const answer = await json(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.access_token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_profile', arguments: {} } }),
  });
  return answer.result?.structuredContent;
}

const focus = (page) =>
  page.evaluate(() => {
    const on = document.activeElement;
    const shown = getComputedStyle(on);
    return { what: on.id || on.value || on.tagName, ring: on.matches(':focus-visible') && shown.outlineStyle !== 'none' };
  });

const browser = await launch();
try {
  for (const [name, width, height] of [['phone', 390, 844], ['desk', 1280, 900]]) {
    const isOwn = (to) => to.origin === origin || to.origin === new URL(callback).origin;
    const { context, page, complaints, foreign } = await open(browser, { viewport: { width, height } }, isOwn);

    // With the mouse: yes, under another name.
    await page.goto(address(`${name}-mouse`));
    check(`${name}: the page says what it is`, (await page.getByRole('heading', { level: 1 }).textContent()).includes('Sign in'));
    check(`${name}: what the client calls itself is text`, (await page.locator('b').count()) === 0);
    const whole = await page.locator('body').innerText();
    for (const word of ['no password', 'A client with <b>markup</b>', new URL(callback).origin, resource.resource]) {
      check(`${name}: it names ${word}`, whole.includes(word), whole);
    }
    const wide = await overflow(page);
    check(`${name}: the page does not scroll sideways`, wide === 0, wide);
    for (const button of ['Allow', 'Deny']) {
      const box = await page.getByRole('button', { name: button }).boundingBox();
      check(`${name}: ${button} is large enough for a finger`, box.height >= 40 && box.width >= 44, box);
    }
    await page.screenshot({ path: `${out}/consent-${name}.png`, fullPage: true });
    await page.getByLabel('Sign in as').fill(`mouse on a ${name}`);
    const yes = await arrived(page, `${name}-mouse`, () => page.getByRole('button', { name: 'Allow' }).click());
    const profile = await used(yes?.get('code'));
    check(`${name}: the code is good for a token that calls`, profile?.ok === true && profile.meta.anonymous === false, profile);

    // With keys alone: into the field, over the buttons, yes.
    await page.goto(address(`${name}-keys`));
    await page.keyboard.press('Tab');
    check(`${name}: Tab goes to the name first`, (await focus(page)).what === 'name', await focus(page));
    await page.keyboard.press('Control+A');
    await page.keyboard.type(`keys on a ${name}`);
    await page.keyboard.press('Tab');
    const allow = await focus(page);
    check(`${name}: then to Allow, and it shows`, allow.what === 'allow' && allow.ring, allow);
    await page.screenshot({ path: `${out}/consent-${name}-keys.png`, fullPage: true });
    const typed = await arrived(page, `${name}-keys`, () => page.keyboard.press('Enter'));
    check(`${name}: keys alone sign in`, (await used(typed?.get('code')))?.ok === true);

    // Enter in the field means yes, and never no.
    await page.goto(address(`${name}-enter`));
    await page.getByLabel('Sign in as').focus();
    const entered = await arrived(page, `${name}-enter`, () => page.keyboard.press('Enter'));
    check(`${name}: Enter in the field allows`, entered?.has('code') === true, String(entered));

    // With keys alone: no.
    await page.goto(address(`${name}-no`));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    const deny = await focus(page);
    check(`${name}: the third stop is Deny`, deny.what === 'deny' && deny.ring, deny);
    const no = await arrived(page, `${name}-no`, () => page.keyboard.press('Space'));
    check(`${name}: Deny tells the client so`, no?.get('error') === 'access_denied' && !no.has('code'), String(no));

    // A name that is none is told, and the form is still there.
    await page.goto(address(`${name}-blank`));
    await page.getByLabel('Sign in as').fill('   ');
    await page.getByRole('button', { name: 'Allow' }).click();
    check(`${name}: a blank name is complained of`, await page.getByRole('alert').isVisible());
    await page.screenshot({ path: `${out}/consent-${name}-blank.png`, fullPage: true });
    await page.getByLabel('Sign in as').fill('somebody');
    const second = await arrived(page, `${name}-blank`, () => page.getByRole('button', { name: 'Allow' }).click());
    check(`${name}: the second try is good`, second?.has('code') === true, String(second));

    // What cannot go on says so, and sends nobody anywhere.
    complaints.length = 0;
    await page.goto(address(`${name}-bad`).replace(encodeURIComponent(callback), encodeURIComponent('https://evil.example/')));
    check(`${name}: a foreign address is not followed`, page.url().startsWith(origin) && (await page.locator('h1').textContent()).includes('cannot go on'));
    await page.screenshot({ path: `${out}/consent-${name}-problem.png`, fullPage: true });
    complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes('400')));

    check(`${name}: the browser does not complain`, complaints.length === 0, complaints);
    check(`${name}: no other host is asked`, foreign.length === 0, foreign);
    await context.close();
  }
} finally {
  await browser.close();
  client.close();
}
finish('consent page in a browser');
