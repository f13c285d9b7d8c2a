// Tokens that no client would get by itself.
import { createHash, createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CALLBACK, consent } from './consent.mjs';

const encoded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decoded = (part) => JSON.parse(Buffer.from(part, 'base64url'));

/**
 * A token of the built-in issuer with other claims, signed with its own key, which ONO_E2E_KEY names: all the rest is as
 * in `token`. Times are seconds from now.
 */
export function mintedAs(token, { aud, iat, exp }) {
  const key = createPrivateKey(readFileSync(process.env.ONO_E2E_KEY));
  if (createPublicKey(key).asymmetricKeyType !== 'ec') throw new Error('the key of the built-in issuer is of another kind');
  const [header, claims] = token.split('.').slice(0, 2).map(decoded);
  const now = Math.floor(Date.now() / 1_000);
  if (aud) claims.aud = aud;
  if (iat) claims.iat = now + iat;
  if (exp) claims.exp = now + exp;
  const message = `${encoded(header)}.${encoded(claims)}`;
  const signature = sign('sha256', Buffer.from(message), { key, dsaEncoding: 'ieee-p1363' });
  return `${message}.${signature.toString('base64url')}`;
}

/** A token that the issuer itself gives out, for the resource that ONO_E2E_OTHER names. */
export async function foreignToken(issuer) {
  const asJson = async (url, more) => (await fetch(url, more)).json();
  const metadata = await asJson(`${issuer}/.well-known/openid-configuration`);
  const client = await asJson(metadata.registration_endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      application_type: 'native',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }),
  });
  const verifier = randomBytes(32).toString('base64url');
  const resource = process.env.ONO_E2E_OTHER;
  const fields = {
    client_id: client.client_id,
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'openid',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource,
  };
  const back = await consent(`${metadata.authorization_endpoint}?${new URLSearchParams(fields)}`, 'stranger');
  const tokens = await asJson(metadata.token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: client.client_id,
      code: back.searchParams.get('code'),
      redirect_uri: CALLBACK,
      code_verifier: verifier,
      resource,
    }),
  });
  if (!tokens.access_token) throw new Error(`no foreign token: ${JSON.stringify(tokens)}`);
  return tokens.access_token;
}
