// The browser of a client that signs in, and what an SDK keeps between its steps.
import { appendFileSync } from 'node:fs';

export const CALLBACK = 'http://127.0.0.1:53682/callback';
const HOPS_MAX = 12;

/** Appends what must stand in no log of the server to the file that ONO_E2E_SECRETS names. */
export function secret(...values) {
  const file = process.env.ONO_E2E_SECRETS;
  if (file) appendFileSync(file, values.filter(Boolean).map((value) => `${value}\n`).join(''));
}

/**
 * Goes to `address` as a browser does, says yes on the consent page of the built-in issuer where it meets that, and
 * tells where it is sent to at the end.
 */
export async function consent(address, name, decision = 'allow') {
  const jar = new Map();
  const go = async (url, more = {}) => {
    const cookie = [...jar].map(([key, value]) => `${key}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', ...more, headers: { cookie, ...more.headers } });
    for (const line of answer.headers.getSetCookie()) {
      const [key, ...value] = line.split(';')[0].split('=');
      jar.set(key, value.join('='));
    }
    return answer;
  };
  let url = new URL(address);
  let answer = await go(url);
  for (let hop = 0; hop < HOPS_MAX; hop += 1) {
    if (answer.status === 200) {
      const html = await answer.text();
      const request = /name="request" value="([^"]+)"/.exec(html)?.[1];
      const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1];
      if (!request || !action) throw new Error(`no form on the page: ${html.slice(0, 300)}`);
      url = new URL(action, url);
      answer = await go(url, {
        method: 'POST',
        headers: { origin: url.origin },
        body: new URLSearchParams({ request, name, decision }),
      });
      continue;
    }
    const location = answer.headers.get('location');
    if (!location) throw new Error(`${url.pathname} answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`);
    url = new URL(location, url);
    if (url.href.startsWith(CALLBACK)) {
      secret(url.searchParams.get('code'));
      return url;
    }
    answer = await go(url);
  }
  throw new Error(`sent around without an end, at last to ${url}`);
}

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
      application_type: 'native',
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
    secret(tokens.access_token, tokens.refresh_token, tokens.id_token);
    this.held = tokens;
  }
  saveDiscoveryState(found) {
    this.found = found;
  }
  discoveryState() {
    return this.found;
  }
  saveCodeVerifier(verifier) {
    secret(verifier);
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
