import { KINDS, type KindName, type Target } from './kinds.js';
import { findMarkers } from './markers.js';
import { ACTOR_TARGETS, SHARE_TARGETS, sharesOf, type ConfigurationRecord } from './records.js';

/** A reference of a record to another one. */
export interface Reference {
  /** The place in the record's fields. */
  path: readonly (string | number)[];
  target: Target;
  key: string;
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** The kinds that a target may be of. */
export function kindsOf(target: Target): readonly KindName[] {
  return target === 'person' ? ['orgUser', 'tenantUser'] : [target];
}

function plainReferences({ kind, fields }: ConfigurationRecord): Reference[] {
  return Object.entries(KINDS[kind].references).flatMap(([name, target]) => {
    const value = fields[name];
    if (isText(value)) return [{ path: [name], target, key: value }];
    if (!Array.isArray(value)) return [];
    return value.filter(isText).map((key, index) => ({ path: [name, index], target, key }));
  });
}

function shareReferences({ fields }: ConfigurationRecord): Reference[] {
  return sharesOf(fields).flatMap((share, index) =>
    SHARE_TARGETS.flatMap((target) => {
      const key = share[target];
      return key === undefined ? [] : [{ path: ['shares', index, target], target, key }];
    }),
  );
}

function actorReferences({ fields }: ConfigurationRecord): Reference[] {
  const actor = (fields['actor'] ?? {}) as Record<string, unknown>;
  return ACTOR_TARGETS.flatMap((target) => {
    const key = actor[target];
    return isText(key) ? [{ path: ['actor', target], target, key }] : [];
  });
}

/** The references in free JSON. A marker of an unknown kind has that kind as its target. */
export function contentReferences({ kind, fields }: ConfigurationRecord): Reference[] {
  return KINDS[kind].contents.flatMap((name) =>
    findMarkers(fields[name]).map((marker) => ({
      path: [name],
      target: marker.kind as Target,
      key: marker.key,
    })),
  );
}

/** The references in fields that hold keys. */
export function fieldReferences(record: ConfigurationRecord): Reference[] {
  return [...plainReferences(record), ...shareReferences(record), ...actorReferences(record)];
}
