import type { PolicyConfigs } from '../logic/secretParams.js';
import type { Policy } from '../policy.js';
import type { DescribedConnection } from './connections.js';
import { findConfigFaults } from './definitionChecks.js';
import { keepConfigSecrets } from './keptSecrets.js';
import { refuseFaults } from './refusals.js';

/** The configs that a change names: absent stays, null removes. */
export type ConfigChange = { [Name in keyof PolicyConfigs]?: PolicyConfigs[Name] | undefined };

export const CONFIG_FIELDS = ['clsConfig', 'slsConfig', 'rlsConfig'] as const;

/**
 * The configs of a definition after a change, checked in the dialect of the connection. Throws INVALID_REQUEST with every
 * fault, at paths below `path`; removing the last config is one.
 */
export async function changeConfigs(
  policy: Policy,
  { current, change, path = '' }: { current: PolicyConfigs; change: ConfigChange; path?: string },
  { connection: { dialect } }: DescribedConnection,
): Promise<PolicyConfigs> {
  const given = Object.fromEntries(Object.entries(change).filter(([, config]) => config !== undefined));
  const wanted: PolicyConfigs = { ...current, ...given };
  if (CONFIG_FIELDS.every((field) => wanted[field] === null)) {
    const removed = CONFIG_FIELDS.filter((field) => change[field] === null);
    const message = 'cannot be removed: a definition has at least one config';
    refuseFaults(removed.map((field) => ({ field: path + field, message })));
  }
  const { kept, faults } = keepConfigSecrets(wanted, current);
  const all = [...(await findConfigFaults(policy, kept, dialect)), ...faults];
  refuseFaults(all.map(({ field, message }) => ({ field: path + field, message })));
  return kept;
}
