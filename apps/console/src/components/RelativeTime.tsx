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
