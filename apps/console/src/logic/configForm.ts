import type { FieldFault } from './formChanges.js';

/** Whether two configs are the same JSON, whatever the order of their fields. Null is no value. */
export function isSameConfig(one: unknown, other: unknown): boolean {
  return JSON.stringify(ordered(one)) === JSON.stringify(ordered(other));
}

function ordered(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(ordered);
  return Object.entries(value)
    .filter(([, field]) => field !== null && field !== undefined)
    .map(([name, field]) => [name, ordered(field)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

const isWithin = ({ field }: FieldFault, path: string) =>
  field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`);

/** A name in a path may contain dots, so that an error after a dot may be of another name. */
const isAt = ({ field }: FieldFault, path: string) => field === path || field.startsWith(`${path}[`);

/** The errors at a path or an item of it; undefined if there are none. */
export function faultAt(faults: readonly FieldFault[], path: string): string | undefined {
  const messages = faults.filter((fault) => isAt(fault, path)).map(({ message }) => message);
  return messages.length === 0 ? undefined : [...new Set(messages)].join('; ');
}

/** The errors of a config that are at none of the places, with their paths in the config. */
export function otherFaults(
  faults: readonly FieldFault[],
  config: string,
  places: readonly string[],
): string | undefined {
  const others = faults.filter(
    (fault) => isWithin(fault, config) && !places.some((place) => isAt(fault, place)),
  );
  const texts = others.map(({ field, message }) =>
    `${field.slice(config.length).replace(/^\./, '')} ${message}`.trim(),
  );
  return texts.length === 0 ? undefined : texts.join('; ');
}
