import type { Webhook } from '@gatehouse/contract';

type Settings = Pick<Webhook, 'url' | 'description' | 'eventTypes' | 'projectId' | 'isEnabled'>;

/** Fields that a caller may set; one that is undefined stays as it is. */
type WantedSettings = { [Field in keyof Settings]?: Settings[Field] | undefined };

/** The former and the present value of each field that changed. */
type Changes = Partial<Record<keyof Settings, { from: unknown; to: unknown }>>;

/** Settings hold texts, flags, null and lists of texts alone. */
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Compares what an update names with what was so; null when nothing changes. */
export function changesOf(current: Settings, wanted: WantedSettings): Changes | null {
  const changes: Changes = {};
  for (const field of ['url', 'description', 'eventTypes', 'projectId', 'isEnabled'] as const) {
    const [from, to] = [current[field], wanted[field]];
    if (to !== undefined && !isSame(from, to)) changes[field] = { from, to };
  }
  return Object.keys(changes).length === 0 ? null : changes;
}

/** The fields that change with the settings. Whoever enables a webhook, or moves it, begins with a clean record of failures. */
export function consequencesOf(changes: Changes) {
  const isEnabled = changes.isEnabled?.to;
  return {
    ...(isEnabled === undefined ? {} : { disabledReason: isEnabled === true ? null : ('manual' as const) }),
    ...(isEnabled === true || changes.url ? { failingSince: null } : {}),
  };
}
