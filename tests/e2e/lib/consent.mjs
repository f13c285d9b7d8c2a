// Goes through the consent page of the built-in issuer as a person would: reads it, says yes, and tells where the
// browser is sent then.
export async function consent(address, name, decision = 'allow') {
  const page = await fetch(address, { redirect: 'manual' });
  if (page.status !== 200) throw new Error(`the consent page answered ${page.status}: ${(await page.text()).slice(0, 300)}`);
  const html = await page.text();
  const request = /name="request" value="([^"]+)"/.exec(html)?.[1];
  const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1];
  if (!request || !action) throw new Error(`no form on the page: ${html.slice(0, 300)}`);
  const target = new URL(action, address);
  const answer = await fetch(target, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: target.origin },
    body: new URLSearchParams({ request, name, decision }),
  });
  if (answer.status !== 303) throw new Error(`the decision was answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`);
  return new URL(answer.headers.get('location'));
}

const CALLBACK = 'http://127.0.0.1:53682/callback';

/** What an SDK keeps between the steps; the browser is the function above. */
export class Provider {
  constructor(name) {
    this.name = name;
    this.events = [];
  }
  get redirectUrl() {
    return CALLBACK;
  }
  get clientMetadata() {
    return {
      client_name: 'e2e',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }
  state() {
    return 'a-state';
  }
  clientInformation() {
    return this.client;
  }
  saveClientInformation(client) {
    this.events.push('registered');
    this.client = client;
  }
  tokens() {
    return this.held;
  }
  saveTokens(tokens) {
    this.events.push('tokens');
    this.held = tokens;
  }
  saveDiscoveryState(found) {
    this.found = found;
  }
  discoveryState() {
    return this.found;
  }
  saveCodeVerifier(verifier) {
    this.verifier = verifier;
  }
  codeVerifier() {
    return this.verifier;
  }
  async redirectToAuthorization(address) {
    this.events.push('browser');
    this.asked = new URL(address);
    this.back = await consent(this.asked, this.name);
  }
}

/** Signs in at a linked address, calls, and refreshes; `make` gives a client and its transport anew. */
export async function signIn(title, url, make, Unauthorized) {
  const failures = [];
  let passed = 0;
  const check = (promise, holds, seen) => {
    if (holds) passed += 1;
    else failures.push(`${promise}; saw ${JSON.stringify(seen)?.slice(0, 400)}`);
  };
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
  check('with the issuer', provider.back?.searchParams.get('iss') === `${url.origin}/issuer`, provider.back?.search);
  // The newer SDK takes the whole answer, and compares its issuer.
  await first.transport.finishAuth(first.wholeAnswer ? provider.back.searchParams : provider.back.searchParams.get('code'));
  const second = make(url, provider);
  await second.client.connect(second.transport);
  const usage = async (client) => (await client.callTool({ name: 'get_usage', arguments: {} })).structuredContent;
  const before = await usage(second.client);
  check('get_usage answers', before?.ok === true && before.meta.anonymous === false, before);
  const found = await second.client.callTool({ name: 'resolve_artist', arguments: { q: 'Four Tet' } });
  check('an anonymous tool is charged to the account', found.structuredContent?.meta?.quota?.used > 0, found.structuredContent?.meta);
  await second.client.close();
  // As after the end of an access token: only the refresh token is good.
  provider.held = { ...provider.held, access_token: 'worn.out.token' };
  provider.events = [];
  const third = make(url, provider);
  await third.client.connect(third.transport);
  check('a token that ended is refreshed without a browser', provider.events.join() === 'tokens', provider.events);
  check('it is the same account', (await usage(third.client))?.data?.used > 0, provider.events);
  await third.client.close();
  console.log(`${title}: ${passed} passed, ${failures.length} failed`);
  for (const failure of failures) console.log(`  ${failure}`);
  if (failures.length) process.exitCode = 1;
}
