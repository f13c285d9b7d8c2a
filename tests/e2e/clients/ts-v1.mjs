// TypeScript SDK v1: the handshake era only. Usage: node ts-v1.mjs URL
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { HEADERS, walk } from '../lib/walk.mjs';

const url = new URL(process.argv[2]);
const client = new Client({ name: 'e2e-ts-v1', version: '0.0.0' });
const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers: HEADERS } });
await client.connect(transport);
await walk(
  'TypeScript SDK v1, legacy',
  {
    tools: () => client.listTools(),
    resources: () => client.listResources(),
    call: (name, args) => client.callTool({ name, arguments: args }),
    read: (uri) => client.readResource({ uri }),
  },
  async (report) => {
    report.check('speaks 2025-11-25', transport.protocolVersion === '2025-11-25', transport.protocolVersion);
    report.check('no session id', transport.sessionId === undefined, transport.sessionId);
    report.check('ping is answered', await client.ping(), 'nothing');
  },
);
await client.close();
