// TypeScript SDK v2 signs in by itself. Usage: node sign-in-ts-v2.mjs URL legacy|auto|VERSION
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { signIn } from '../lib/sign-in.mjs';

const [url, era] = process.argv.slice(2);
const mode = era === 'legacy' || era === 'auto' ? era : { pin: era };
const make = (address, authProvider) => ({
  wholeAnswer: true,
  client: new Client({ name: 'e2e-ts-v2', version: '0.0.0' }, { versionNegotiation: { mode } }),
  transport: new StreamableHTTPClientTransport(address, { authProvider }),
});
await signIn(`TypeScript SDK v2 signs in, ${era}`, new URL(url), make, UnauthorizedError);
