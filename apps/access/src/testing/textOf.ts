import type { Fixture } from './directoryStub.js';

/** Returns a value as text, in which ids and times are the same in every world of an interleaved test. */
export function textOf(value: unknown, { us, ...ids }: { us: Fixture }): string {
  const people = (['ada', 'nils', 'nick', 'nora', 'otto', 'root'] as const).flatMap((name) => [
    [us[name].userId, name] as const,
    [`Name of ${us[name].userId}`, name] as const,
    [us[name].email, name] as const,
  ]);
  const known = new Map<unknown, string>([
    ...Object.entries<string>(ids).map(([name, id]) => [id, name] as const),
    ...people,
    [us.projectId, 'project'],
    [us.north.id, 'north'],
  ]);
  return JSON.stringify(value, (key, each: unknown) => {
    // A total is counted apart from the page.
    if (/At$|^secret$|^total$/.test(key)) return undefined;
    return known.get(each) ?? (typeof each === 'string' ? each.replace(/^(d|v|sh)_.*/, 'another id') : each);
  });
}
