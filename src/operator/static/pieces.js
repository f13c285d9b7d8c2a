// Pieces of the page: whatever the server says is put into it as text, never as markup.

export const SVG = 'http://www.w3.org/2000/svg';

export function make(name, fields = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(fields)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

export function draw(name, fields, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(fields)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

export const byId = (id) => document.getElementById(id);

/** Writes only what changed, so that nothing is read out twice and no selection is lost. */
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Makes the children of `parent` one for each key, kept as long as the key stays. */
export function keyed(parent, keys, build) {
  const held = (parent.held ??= new Map());
  for (const [key, node] of held) {
    if (!keys.includes(key)) {
      node.remove();
      held.delete(key);
    }
  }
  keys.forEach((key, index) => {
    if (!held.has(key)) held.set(key, build(key));
    const node = held.get(key);
    if (parent.children[index] !== node) parent.insertBefore(node, parent.children[index] ?? null);
  });
  return keys.map((key) => held.get(key));
}

/** The one list inside a place, made when there is something to say in it. */
export function inside(id, name, kind) {
  const place = byId(id);
  if (!place.list) place.replaceChildren((place.list = make(name, { class: kind })));
  return place.list;
}
