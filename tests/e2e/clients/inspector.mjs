// Inspector's command line: one process for each request. Usage: node inspector.mjs URL legacy|modern
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { HEADERS, walk } from '../lib/walk.mjs';

const [url, era] = process.argv.slice(2);
const headers = Object.entries(HEADERS).flatMap(([name, value]) => ['--header', `${name}: ${value}`]);
const program = fileURLToPath(new URL('../node_modules/.bin/mcp-inspector', import.meta.url));

function inspect(method, ...rest) {
  const args = ['--cli', url, '--transport', 'http', '--protocol-era', era, '--format', 'json', '--method', method, ...headers, ...rest];
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: 60_000, maxBuffer: 16 << 20 }, (error, stdout, stderr) => {
      try {
        resolve({ exit: error?.code ?? 0, stderr, ...JSON.parse(stdout) });
      } catch {
        reject(new Error(`inspector ${method} exit ${error?.code}: ${stdout}${stderr}`));
      }
    });
  });
}

const result = (answer) => answer.result ?? answer;
await walk(
  `Inspector, ${era}`,
  {
    tools: async () => result(await inspect('tools/list')),
    resources: async () => result(await inspect('resources/list')),
    call: async (name, args) => result(await inspect('tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args))),
    read: async (uri) => result(await inspect('resources/read', '--uri', uri)),
  },
  async (report) => {
    const strict = await inspect('tools/list', '--strict');
    report.check('the tool schemas are portable', strict.exit === 0, strict.stderr);
  },
);
