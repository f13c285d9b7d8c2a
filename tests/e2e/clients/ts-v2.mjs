// TypeScript SDK v2. Usage: node ts-v2.mjs URL legacy|auto|VERSION
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { HEADERS, walk } from '../lib/walk.mjs';

const [url, era] = process.argv.slice(2);
const mode = ['legacy', 'auto'].includes(era) ? era : { pin: era };
const spoken = era === 'legacy' ? '2025-11-25' : '2026-07-28';
const client = new Client({ name: 'e2e-ts-v2', version: '0.0.0' }, { versionNegotiation: { mode } });
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: HEADERS } }));
await walk(
  `TypeScript SDK v2, ${era}`,
  {
    tools: () => client.listTools(),
    resources: () => client.listResources(),
    call: (name, args) => client.callTool({ name, arguments: args }),
    read: (uri) => client.readResource({ uri }),
  },
  (report) => {
    const negotiated = client.getNegotiatedProtocolVersion();
    report.check(`speaks ${spoken}`, negotiated === spoken, negotiated);
  },
);
await client.close();
