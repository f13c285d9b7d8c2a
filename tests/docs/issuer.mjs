// An issuer for docs/operating.md: oidc-provider with the paths of a Keycloak realm, over TLS.
//
//   node issuer.mjs ADDRESS ISSUER RESOURCE
//
// As Keycloak with an audience mapper does, it puts RESOURCE into every access token, whether it is asked for or not, and
// signs with RS256. Its one client, `probe`, signs in as itself. chain.pem and key.pem lie beside it.
import { generateKeyPairSync } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { Provider } from 'oidc-provider';

const [address, name, resource] = process.argv.slice(2);
const realm = new URL(name).pathname;
const key = { ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'of-a-test' };

const provider = new Provider(name, {
  jwks: { keys: [key] },
  cookies: { keys: ['of-a-test'] },
  scopes: ['openid', 'email', 'offline_access'],
  clients: [
    {
      client_id: 'probe',
      client_secret: 'of-a-test',
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    },
  ],
  pkce: { required: () => true },
  routes: {
    authorization: '/protocol/openid-connect/auth',
    token: '/protocol/openid-connect/token',
    jwks: '/protocol/openid-connect/certs',
    userinfo: '/protocol/openid-connect/userinfo',
    registration: '/clients-registrations/openid-connect',
  },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    registration: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({ scope: 'openid email offline_access', audience: resource, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } }),
    },
  },

  formats: {
    customizers: {
      // The service account of a client is a user with an id of its own.
      jwt(_context, _token, jwt) {
        jwt.payload.sub = '3f0c8d5e-0000-4000-8000-service-probe';
      },
    },
  },
});

const handle = provider.callback();
https
  .createServer({ cert: readFileSync('chain.pem'), key: readFileSync('key.pem') }, (request, response) => {
    if (!request.url.startsWith(`${realm}/`)) {
      response.writeHead(404);
      response.end();
      return;
    }
    // As where it is mounted: the rest of the path is its own, and it finds the beginning again in its addresses.
    request.originalUrl = request.url;
    request.url = request.url.slice(realm.length);
    handle(request, response);
  })
  .listen(443, address, () => execFileSync('systemd-notify', ['--ready']));
