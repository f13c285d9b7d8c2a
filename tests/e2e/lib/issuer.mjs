// An issuer that is not ours: oidc-provider, which signs everybody in without asking.
//
//   node issuer.mjs PORT RESOURCE OTHER LIFETIME_S TOKENS
//
// Its access tokens are for RESOURCE or for OTHER, whichever is asked for, and are over for the server after
// LIFETIME_S: what the server allows for differing clocks is taken off beforehand, so that nobody has to wait for it.
// Every token that it gives out is appended to TOKENS, a line each, for a search of other logs.
import { appendFileSync } from 'node:fs';
import { generateKeyPairSync } from 'node:crypto';
import http from 'node:http';
import { Provider, errors } from 'oidc-provider';

const [port, resource, other, lifetime, tokens] = process.argv.slice(2);
const name = `http://127.0.0.1:${port}`;
const leeway_s = 60;
const lifetime_s = Number(lifetime);
const scopes = ['openid', 'email', 'offline_access'];
const key = (type, options, alg) => ({
  ...generateKeyPairSync(type, options).privateKey.export({ format: 'jwk' }),
  use: 'sig',
  alg,
  kid: `${alg}-${Date.now().toString(36)}`,
});

const provider = new Provider(name, {
  // Clients register for ID tokens with RS256; access tokens have ES256.
  jwks: { keys: [key('ec', { namedCurve: 'P-256' }, 'ES256'), key('rsa', { modulusLength: 2048 }, 'RS256')] },
  scopes,
  claims: { email: ['email'] },
  cookies: { keys: ['of-a-test'] },
  pkce: { required: () => true },
  issueRefreshToken: () => true,
  findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  ttl: { AccessToken: lifetime_s, AuthorizationCode: 60, Grant: 3600, Interaction: 300, Session: 3600, RefreshToken: 3600, IdToken: 300 },
  interactions: { url: (_context, interaction) => `/person/${interaction.uid}` },
  formats: {
    customizers: {
      jwt(_context, _token, jwt) {
        jwt.payload.exp -= leeway_s;
      },
    },
  },
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo(_context, indicator) {
        if (indicator !== resource && indicator !== other) throw new errors.InvalidTarget();
        return { scope: scopes.join(' '), audience: indicator, accessTokenTTL: lifetime_s, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } };
      },
    },
  },
});
provider.use(async (context, next) => {
  await next();
  for (const token of ['access_token', 'refresh_token', 'id_token']) {
    if (typeof context.body?.[token] === 'string') appendFileSync(tokens, `${context.body[token]}\n`);
  }
});

// The person says yes to everything.
async function person(request, response) {
  const { prompt, params, grantId, session } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId: 'alice' } });
    return;
  }
  const found = grantId && (await provider.Grant.find(grantId));
  const grant = found || new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  if (prompt.details.missingOIDCScope) grant.addOIDCScope(prompt.details.missingOIDCScope.join(' '));
  for (const [indicator, wanted] of Object.entries(prompt.details.missingResourceScopes ?? {})) {
    grant.addResourceScope(indicator, wanted.join(' '));
  }
  await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true });
}

const handle = provider.callback();
http
  .createServer((request, response) => {
    if (!request.url.startsWith('/person/')) return handle(request, response);
    return person(request, response).catch((error) => {
      response.writeHead(500);
      response.end(String(error));
    });
  })
  .listen(Number(port), '127.0.0.1', () => console.log(`ready: ${name}`));
