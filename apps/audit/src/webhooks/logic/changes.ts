import type { Webhook } from '@gatehouse/contract';

type Settings = Pick<Webhook, 'url' | 'description' | 'eventTypes' | 'projectId' | 'isEnabled'>;

/** Fields that a caller may set; one that is undefined stays as it is. */
type WantedSettings = { [Field in keyof Settings]?: Settings[Field] | undefined };

/** The former and the present value of each field that changed. */
type Changes = Partial<Record<keyof Settings, { from: unknown; to: unknown }>>;

/** Settings are only strings, booleans, null and lists of strings. */
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Compares an update with the current settings; null when nothing changes. */
export function changesOf(current: Settings, wanted: WantedSettings): Changes | null {
  const changes: Changes = {};
  for (const field of ['url', 'description', 'eventTypes', 'projectId', 'isEnabled'] as const) {
    const [from, to] = [current[field], wanted[field]];
    if (to !== undefined && !isSame(from, to)) changes[field] = { from, to };
  }
  return Object.keys(changes).length === 0 ? null : changes;
}

/** The fields that change with the settings. Enabling or moving a webhook clears its failures. */
export function consequencesOf(changes: Changes) {
  const isEnabled = changes.isEnabled?.to;
  return {
    ...(isEnabled === undefined ? {} : { disabledReason: isEnabled === true ? null : ('manual' as const) }),
    ...(isEnabled === true || changes.url ? { failingSince: null } : {}),
  };
}
