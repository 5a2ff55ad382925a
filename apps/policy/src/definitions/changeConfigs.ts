import type { PolicyConfigs } from '../secrets/logic/secretParams.js';
import type { Dependencies } from '../dependencies.js';
import type { DescribedConnection } from '../connections/findConnections.js';
import { findConfigFaults } from './checkConfigs.js';
import { restoreConfigSecrets } from '../secrets/restoreSecrets.js';
import { refuseFaults } from '../admission/refusals.js';

/** The configs of an update: absent keeps the config, null removes it. */
export type ConfigChange = { [Name in keyof PolicyConfigs]?: PolicyConfigs[Name] | undefined };

export const CONFIG_FIELDS = ['clsConfig', 'slsConfig', 'rlsConfig'] as const;

/**
 * The configs of a definition after an update, checked in the dialect of the connection.
 * @param path prefix of the field names in errors
 * @throws INVALID_REQUEST with every fault; removing the last config is one
 */
export async function changeConfigs(
  deps: Dependencies,
  { current, change, path = '' }: { current: PolicyConfigs; change: ConfigChange; path?: string },
  described: DescribedConnection,
): Promise<PolicyConfigs> {
  const given = Object.fromEntries(Object.entries(change).filter(([, config]) => config !== undefined));
  const wanted: PolicyConfigs = { ...current, ...given };
  if (CONFIG_FIELDS.every((field) => wanted[field] === null)) {
    const removed = CONFIG_FIELDS.filter((field) => change[field] === null);
    const message = 'cannot be removed: a definition has at least one config';
    refuseFaults(removed.map((field) => ({ field: path + field, message })));
  }
  const { kept, faults } = restoreConfigSecrets(wanted, current);
  const all = [...(await findConfigFaults(deps, kept, described)), ...faults];
  refuseFaults(all.map(({ field, message }) => ({ field: path + field, message })));
  return kept;
}
