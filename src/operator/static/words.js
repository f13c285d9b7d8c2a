// Words and figures: how the page says a number, a moment and a time. Knows nothing of what they are of.

export const plain = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
export const hundredths = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
export const tenths = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
export const hours = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
export const seconds = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
export const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
export const clock = (t) => seconds.format(t * 1000);
export const short = (t) => hours.format(t * 1000);
export const moment = (t) => `${days.format(t * 1000)}, ${short(t)}`;

export const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);
export const known = (say) => (value) => (isNumber(value) ? say(value) : 'none');
export const count = known((n) => plain.format(n));
export const rate = known((n) => (n !== 0 && n < 0.005 ? 'under 0.01' : (n < 1 ? hundredths : n < 10 ? tenths : plain).format(n)));
export const share = known((n) => (n !== 0 && n < 0.0005 ? 'under 0.1 %' : `${(n < 0.1 ? tenths : plain).format(n * 100)} %`));
export const time = known((ms) => (ms >= 1000 ? `${tenths.format(ms / 1000)} s` : `${(ms < 10 ? tenths : plain).format(ms)} ms`));
export const many = (n, one, more) => `${count(n)} ${n === 1 ? one : more}`;

export function lasting(s) {
  const whole = Math.max(0, Math.round(s));
  const [d, h, m] = [Math.floor(whole / 86_400), Math.floor(whole / 3_600) % 24, Math.floor(whole / 60) % 60];
  if (d > 0) return `${many(d, 'day', 'days')} ${h} h`;
  if (h > 0) return `${h} h ${m} min`;
  return m > 0 ? `${m} min` : `${whole} s`;
}
