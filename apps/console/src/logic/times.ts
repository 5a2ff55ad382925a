const UNITS = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** The distance of a moment from now, as "3 hours ago". Both are milliseconds since 1970. */
export function relativeTime(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  const unit = UNITS.find(([, length]) => Math.abs(seconds) >= length);
  if (unit === undefined) return seconds > 0 ? 'in less than a minute' : 'just now';
  return format.format(Math.trunc(seconds / unit[1]), unit[0]);
}

/** A moment, in milliseconds since 1970, as a control of the kind `datetime-local` writes it. */
export function localInputValue(moment: number): string {
  const offset = new Date(moment).getTimezoneOffset() * 60_000;
  return new Date(moment - offset).toISOString().slice(0, 16);
}
