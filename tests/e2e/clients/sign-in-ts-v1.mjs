// TypeScript SDK v1 signs in by itself. Usage: node sign-in-ts-v1.mjs URL
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { signIn } from '../lib/sign-in.mjs';

const make = (url, authProvider) => ({
  client: new Client({ name: 'e2e-ts-v1', version: '0.0.0' }),
  transport: new StreamableHTTPClientTransport(url, { authProvider }),
});
await signIn('TypeScript SDK v1 signs in', new URL(process.argv[2]), make, UnauthorizedError);
