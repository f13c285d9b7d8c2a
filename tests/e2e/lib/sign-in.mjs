// What every SDK has to do at a linked address, whoever the issuer is.
//
// The environment says whom: ONO_E2E_ISSUER, the name of an issuer of its own with ONO_E2E_LIFETIME_S and
// ONO_E2E_OTHER, or else the built-in one, whose key ONO_E2E_KEY names.
import { setTimeout as wait } from 'node:timers/promises';
import { Provider, secret } from './consent.mjs';
import { foreignToken, mintedAs } from './tokens.mjs';

/** Signs in at a linked address, calls, refreshes, is refused; `make` gives a client and its transport anew. */
export async function signIn(title, url, make, Unauthorized) {
  const issuer = process.env.ONO_E2E_ISSUER ?? `${url.origin}/issuer`;
  const isBuiltIn = issuer === `${url.origin}/issuer`;
  const failures = [];
  let passed = 0;
  const check = (promise, holds, seen) => {
    if (holds) passed += 1;
    else failures.push(`${promise}; saw ${JSON.stringify(seen)?.slice(0, 400)}`);
  };
  const call = async (client, name, args = {}) => (await client.callTool({ name, arguments: args })).structuredContent;

  const provider = new Provider(`${title} ${Date.now()}`);
  const first = make(url, provider);
  let refused;
  try {
    await first.client.connect(first.transport);
  } catch (error) {
    refused = error;
  }
  check('the first request leads to a sign-in', refused instanceof Unauthorized, String(refused));
  check('it registered and opened the browser', provider.events.join() === 'registered,browser', provider.events);
  const asked = provider.asked?.searchParams;
  check('with S256', asked?.get('code_challenge_method') === 'S256', asked?.toString());
  check('for the resource of the metadata', asked?.get('resource') === `${url.origin}/mcp`, asked?.get('resource'));
  check('the state comes back', provider.back?.searchParams.get('state') === 'a-state', provider.back?.search);
  check('with the issuer', provider.back?.searchParams.get('iss') === issuer, provider.back?.search);
  // The newer SDK takes the whole answer, and compares its issuer.
  await first.transport.finishAuth(first.wholeAnswer ? provider.back.searchParams : provider.back.searchParams.get('code'));

  const second = make(url, provider);
  await second.client.connect(second.transport);
  const found = await call(second.client, 'search_catalog', { q: 'Four Tet' });
  check('search_catalog answers', found?.ok === true && found.meta.anonymous === false, found);
  const before = await call(second.client, 'get_usage');
  check('it is charged to the account', before?.data?.used > 0, before);

  // The end of the access token, under the feet of a client that is connected.
  const old = provider.held.access_token;
  provider.events = [];
  if (isBuiltIn) {
    const ended = await mintedAs(old, { iat: -7_200, exp: -3_600 });
    secret(ended);
    provider.held = { ...provider.held, access_token: ended };
  } else {
    await wait(Number(process.env.ONO_E2E_LIFETIME_S) * 1_000 + 1_000);
  }
  const after = await call(second.client, 'search_catalog', { q: 'Four Tet' });
  check('the call after the end of the token is answered', after?.ok === true, after);
  check('a token that ended is refreshed without a browser', provider.events.join() === 'tokens', provider.events);
  check('the token is a new one', provider.held.access_token !== old, provider.events);
  check('it is the same account', (await call(second.client, 'get_usage'))?.data?.used >= before?.data?.used, before);
  await second.client.close();

  // A good token of the same issuer for somebody else is worth nothing here.
  const foreign = isBuiltIn ? await mintedAs(old, { aud: 'https://other.example/mcp' }) : await foreignToken(issuer);
  secret(foreign);
  const stranger = new Provider(`${title} stranger`);
  stranger.client = provider.client;
  stranger.held = { ...provider.held, access_token: foreign, refresh_token: undefined };
  const third = make(url, stranger);
  let away;
  try {
    await third.client.connect(third.transport);
  } catch (error) {
    away = error;
  }
  check('a token for another audience is refused', away instanceof Unauthorized, String(away));
  check('and leads to a sign-in', stranger.events.at(-1) === 'browser', stranger.events);
  const bare = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${foreign}`, 'content-type': 'application/json' }, body: '{}' });
  check('with the challenge', bare.status === 401 && bare.headers.get('www-authenticate')?.includes('error="invalid_token"'), bare.status);

  console.log(`${title}: ${passed} passed, ${failures.length} failed`);
  for (const failure of failures) console.log(`  ${failure}`);
  if (failures.length) process.exitCode = 1;
}
