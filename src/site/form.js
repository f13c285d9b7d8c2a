'use strict';

// Asks the two anonymous tools. Everything that comes back is shown as text, never as markup.
const form = document.getElementById('ask');
const tool = document.getElementById('tool');
const text = document.getElementById('text');
const label = document.getElementById('text-label');
const button = form.querySelector('button');
const status = document.getElementById('status');
const answer = document.getElementById('answer');
const follow = document.getElementById('follow');
const whole = document.getElementById('whole');
const json = document.getElementById('json');

const FIELDS = {
  resolve_artist: { label: 'Artist name', argument: 'q' },
  get_artist: { label: 'Key: a cluster_id or a slug', argument: 'key' },
};

function relabel() {
  label.textContent = FIELDS[tool.value].label;
}

function offer(name, value, words) {
  const next = document.createElement('button');
  next.type = 'button';
  next.textContent = words;
  next.addEventListener('click', () => {
    tool.value = name;
    text.value = value;
    relabel();
    ask();
  });
  follow.append(next);
}

function show(envelope, readable) {
  const { units } = envelope.meta;
  status.textContent = envelope.ok ? `Answered for ${units} ${units === 1 ? 'unit' : 'units'}.` : 'Not answered.';
  answer.textContent = readable;
  answer.hidden = false;
  json.textContent = JSON.stringify(envelope, null, 2);
  whole.hidden = false;
  follow.replaceChildren();
  const state = envelope.ambiguity && envelope.ambiguity.state;
  const id = envelope.data && envelope.data.cluster_id;
  if (tool.value === 'resolve_artist' && id && state !== 'name_collision') {
    offer('get_artist', id, 'Get the card of this artist');
  }
}

async function ask() {
  const name = tool.value;
  button.disabled = true;
  status.textContent = 'Asking ...';
  answer.hidden = true;
  whole.hidden = true;
  follow.replaceChildren();
  try {
    const response = await fetch('/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: { [FIELDS[name].argument]: text.value.trim() } },
      }),
    });
    const body = await response.json();
    if (body.result && body.result.structuredContent) {
      show(body.result.structuredContent, body.result.content[0].text);
    } else {
      status.textContent = `Refused: ${body.error ? body.error.message : response.status}`;
    }
  } catch (_error) {
    status.textContent = 'The server could not be reached. Try again.';
  } finally {
    button.disabled = false;
  }
}

tool.addEventListener('change', relabel);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  ask();
});
relabel();
