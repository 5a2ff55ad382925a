import type { KindName } from './kinds.js';
import { ACTOR_TARGETS, type Fields } from './records.js';

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

function actorText(actor: unknown): string {
  const { kind, ...targets } = (actor ?? {}) as Record<string, unknown>;
  const target = ACTOR_TARGETS.map((name) => targets[name]).find((key) => key !== undefined);
  return target === undefined ? textOf(kind) : `${textOf(kind)} ${textOf(target)}`;
}

/** The name of a record by its own fields. Two records may have the same one: see `assignKeys`. */
export function naturalKey(kind: KindName, fields: Fields): string {
  const field = (name: string) => textOf(fields[name]);
  switch (kind) {
    case 'orgUser':
      return field('email');
    case 'tenantUser':
      return `${field('tenant')}/${field('email')}`;
    case 'group':
      return fields['tenant'] === undefined ? field('name') : `${field('tenant')}/${field('name')}`;
    case 'visual':
    case 'dashboard':
      return field('title');
    case 'policyDefinition':
      return `${field('connection')}/${field('name')}`;
    case 'policyAssignment':
      return `${field('definition')} for ${actorText(fields['actor'])}`;
    case 'policyTest':
      return `${field('definition')}/${field('name')}`;
    case 'webhook':
      return field('url');
    case 'tenant':
    case 'connection':
    case 'domain':
    case 'datamodel':
    case 'assistantProfile':
      return field('name');
  }
}

/** A record that gets a key. */
export interface Named {
  natural: string;
  /** The time of its creation, in ISO 8601. */
  createdAt: string;
  id: string;
}

/**
 * Gives each record a key of its own. Of several records with the same name, the oldest keeps it, and the
 * others get a number: `Sales`, `Sales #2`.
 *
 * @returns the keys in the order of the records
 */
export function assignKeys(records: readonly Named[]): string[] {
  const keys: string[] = Array.from({ length: records.length }, () => '');
  const taken = new Set(records.map(({ natural }) => natural));
  const seen = new Map<string, number>();
  const byAge = [...records.entries()].toSorted(
    ([, a], [, b]) => compare(a.createdAt, b.createdAt) || compare(a.id, b.id),
  );
  for (const [index, { natural }] of byAge) {
    let number = (seen.get(natural) ?? 0) + 1;
    while (number > 1 && taken.has(`${natural} #${number}`)) number += 1;
    seen.set(natural, number);
    keys[index] = number === 1 ? natural : `${natural} #${number}`;
    taken.add(keys[index]);
  }
  return keys;
}

/** The order of code units, which is the same on every machine. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
