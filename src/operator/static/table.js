// A figure as a table.

import { keyed, make, write } from './pieces.js';
import { ROW_S, answer, range } from './steps.js';
import { clock, lasting, short } from './words.js';

export const brief = (t) => (ROW_S[range] % 60 === 0 ? short(t) : clock(t));

/** The steps in parts of so many seconds, oldest first. */
export function spread(list, width) {
  const parts = new Map();
  for (const step of list) {
    if (step.isGap) continue;
    const from = Math.floor((step.t - 1) / width) * width;
    if (!parts.has(from)) parts.set(from, []);
    parts.get(from).push(step);
  }
  return [...parts].map(([from, part]) => ({ from, list: part }));
}

/** The same figures as a table below a figure. It is made only while it is open. */
export function asTable(figure, title, fill) {
  const scroll = make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `${title} as a table` });
  const details = make('details', {}, make('summary', {}, 'As a table', make('span', { class: 'unseen' }, `: ${title}`)), scroll);
  figure.append(details);
  const caption = make('caption');
  const head = make('tr');
  const body = make('tbody');
  scroll.append(make('table', {}, caption, make('thead', {}, head), body));
  const renew = () => {
    if (!details.open || !answer) return;
    const table = fill();
    const isWords = (index) => table.words?.includes(index);
    write(caption, table.rows.length ? table.caption ?? `${title}, newest first, ${lasting(ROW_S[range])} a row` : table.none ?? 'No data yet.');
    keyed(head, table.head, (word) => make('th', { scope: 'col' }, word));
    [...head.children].forEach((cell, i) => cell.classList.toggle('words', Boolean(isWords(i))));
    keyed(body, [...table.rows.keys()], () => make('tr')).forEach((row, i) => {
      const cells = table.rows[i];
      while (row.children.length > cells.length) row.lastChild.remove();
      while (row.children.length < cells.length) row.append(row.children.length === 0 ? make('th', { scope: 'row' }) : make('td'));
      cells.forEach((text, j) => {
        write(row.children[j], text);
        row.children[j].classList.toggle('words', Boolean(isWords(j)));
      });
    });
  };
  details.addEventListener('toggle', renew);
  return { renew };
}
