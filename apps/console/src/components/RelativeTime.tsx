import { relativeTime } from '../logic/times.js';

/** A moment as its distance from now; the exact time is its title. */
export function RelativeTime({ at }: { at: string }) {
  const moment = new Date(at);
  return (
    <time dateTime={at} title={moment.toLocaleString()}>
      {relativeTime(moment.getTime(), Date.now())}
    </time>
  );
}

const dateFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

/** The date of a moment in the time zone of the browser. */
export function formatDate(at: string): string {
  return dateFormat.format(new Date(at));
}

/** A moment in the future, as its date and the distance from now: "next month" alone names no day. */
export function EndTime({ at }: { at: string }) {
  return (
    <>
      {formatDate(at)} (<RelativeTime at={at} />)
    </>
  );
}
