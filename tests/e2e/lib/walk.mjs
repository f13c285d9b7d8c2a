// What every foreign client must see, whatever its protocol era. A client is an object with
//   tools(), resources(), call(name, arguments), read(uri)
// that answers plain protocol results; how it got them is its own affair. The Python and Rust
// helpers (walk.py, rmcp-client/src/walk.rs) check the same list. With a bearer token in ONO_TOKEN it is another list:
// every tool there is, called as calls.json says, and its answer held to both published schemas.
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const TOKEN = process.env.ONO_TOKEN;
/** What a client has to send beside its own headers. */
export const HEADERS = TOKEN ? { Authorization: `Bearer ${TOKEN}` } : {};
const CALLS = JSON.parse(readFileSync(new URL('calls.json', import.meta.url), 'utf8'));

export const ARTIST = 'Aphex Twin';
export const RESOURCES = ['capabilities', 'dossier-manifest', 'envelope-schema', 'semantics-dictionary'].map(
  (name) => `hosaka://${name}`,
);

/** Counts checks and keeps what the failed ones saw. */
class Report {
  passed = 0;
  failures = [];

  check(promise, holds, seen) {
    if (holds) this.passed += 1;
    else this.failures.push(`${promise}; saw ${JSON.stringify(seen)?.slice(0, 600)}`);
    return Boolean(holds);
  }
}

/** One envelope as a tool result: valid, attributed, and the same verdict in both places. */
function checkAnswer(report, what, result, validate, ok) {
  const envelope = result.structuredContent;
  report.check(`${what}: structuredContent is valid against hosaka://envelope-schema`, validate(envelope), validate.errors);
  report.check(`${what}: envelope_version is "1"`, envelope?.envelope_version === '1', envelope?.envelope_version);
  report.check(`${what}: ok is ${ok}`, envelope?.ok === ok, envelope?.error ?? envelope?.ok);
  report.check(`${what}: isError agrees with ok`, (result.isError ?? false) === !ok, result.isError);
  const line = envelope?.attribution?.line;
  report.check(`${what}: attribution.line is there`, typeof line === 'string' && line.length > 0, envelope?.attribution);
  const first = result.content?.[0];
  // An error presents no data, so its text names the error instead of the sources.
  const said = ok ? line : envelope?.error?.type;
  report.check(`${what}: the first content block is text and says ${said}`, first?.type === 'text' && first.text.includes(said), first);
  report.check(`${what}: meta.fixture_mode is true`, envelope?.meta?.fixture_mode === true, envelope?.meta);
  return envelope ?? {};
}

async function readJson(report, client, uri) {
  const { contents } = await client.read(uri);
  report.check(`${uri}: one content, of that uri`, contents?.length === 1 && contents[0].uri === uri, contents);
  return JSON.parse(contents[0].text);
}

function compiled(schema) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  return ajv.compile(schema);
}

async function everyTool(report, client) {
  const { tools } = await client.tools();
  const names = tools.map((tool) => tool.name).sort();
  report.check('every tool is called', names.join() === CALLS.map((call) => call.tool).sort().join(), names);
  const validate = compiled(await readJson(report, client, 'hosaka://envelope-schema'));
  for (const { tool, arguments: args } of CALLS) {
    const envelope = checkAnswer(report, tool, await client.call(tool, args), validate, true);
    const fits = compiled(tools.find(({ name }) => name === tool)?.outputSchema ?? false);
    report.check(`${tool}: structuredContent is valid against its outputSchema`, fits(envelope), fits.errors);
    report.check(`${tool}: answered for the account`, envelope.meta?.anonymous === false, envelope.meta);
    report.check(`${tool}: present`, envelope.present === true, envelope.reason);
  }
}

async function steps(report, client) {
  const { tools } = await client.tools();
  const names = tools.map((tool) => tool.name);
  for (const name of ['resolve_artist', 'get_artist']) {
    report.check(`tools/list has ${name}`, names.includes(name), names);
  }
  for (const { name, description, inputSchema, outputSchema, annotations } of tools) {
    report.check(`${name}: described`, typeof description === 'string' && description.length > 0, description);
    report.check(`${name}: both schemas are objects`, inputSchema?.type === 'object' && outputSchema?.type === 'object', { inputSchema, outputSchema });
    const hints = ['readOnlyHint', 'destructiveHint', 'openWorldHint'];
    report.check(`${name}: hints are explicit`, hints.every((hint) => typeof annotations?.[hint] === 'boolean'), annotations);
  }

  const { resources } = await client.resources();
  const uris = resources.map((resource) => resource.uri);
  report.check('resources/list has the four', RESOURCES.every((uri) => uris.includes(uri)), uris);
  const capabilities = await readJson(report, client, 'hosaka://capabilities');
  const published = JSON.stringify(capabilities);
  for (const word of [...names, 'invalid_argument']) {
    report.check(`hosaka://capabilities names ${word}`, published.includes(`"${word}"`), capabilities);
  }
  const schema = await readJson(report, client, 'hosaka://envelope-schema');
  const validate = compiled(schema);

  const resolved = checkAnswer(report, 'resolve', await client.call('resolve_artist', { q: ARTIST }), validate, true);
  report.check('resolve: present', resolved.present === true, resolved.present);
  report.check('resolve: one verified identity', resolved.ambiguity?.state === 'none', resolved.ambiguity);
  report.check(`resolve: the name is ${ARTIST}`, resolved.data?.name === ARTIST, resolved.data);
  const key = resolved.data?.cluster_id;
  report.check('resolve: a cluster_id', typeof key === 'string' && key.length > 0, resolved.data);

  const card = checkAnswer(report, 'card', await client.call('get_artist', { key }), validate, true);
  report.check('card: present', card.present === true, card.present);
  report.check('card: of the same artist', card.data?.name === ARTIST && card.data?.cluster_id === key, card.data);
  report.check('each answer has a request_id of its own', card.meta?.request_id && card.meta.request_id !== resolved.meta?.request_id, card.meta);

  const refused = checkAnswer(report, 'bad argument', await client.call('resolve_artist', { qq: ARTIST }), validate, false);
  const { error } = refused;
  report.check('bad argument: invalid_argument', error?.type === 'invalid_argument', error);
  report.check('bad argument: recoverable, not retryable', error?.recoverable === true && error?.retryable === false, error);
  report.check('bad argument: names a parameter', typeof error?.data?.param === 'string', error?.data);
  report.check('bad argument: did_you_mean q', [error?.data?.did_you_mean].flat().includes('q'), error?.data);
  report.check('bad argument: says how to fix it', typeof error?.data?.fix_hint === 'string', error?.data);
  const [corrected] = refused.suggested_tool_calls ?? [];
  report.check('bad argument: the corrected call comes with it', corrected?.tool === 'resolve_artist' && corrected.args?.q === ARTIST, refused.suggested_tool_calls);
  report.check('bad argument: does not repeat the value', !JSON.stringify(error ?? null).includes(ARTIST), error);
  report.check('bad argument: data, present and ambiguity are null', refused.data === null && refused.present === null && refused.ambiguity === null, refused);
}

/** Takes `client` through the whole list, prints the counts under `label`, sets the exit code. */
export async function walk(label, client, extra = () => {}) {
  const report = new Report();
  try {
    await (TOKEN ? everyTool : steps)(report, client);
    await extra(report);
  } catch (error) {
    report.check('the client gets through', false, String(error?.stack ?? error));
  }
  for (const failure of report.failures) console.log(`  FAILED ${failure}`);
  console.log(`${label}${TOKEN ? ', every tool' : ''}: ${report.passed} passed, ${report.failures.length} failed`);
  if (report.failures.length > 0) process.exitCode = 1;
}
