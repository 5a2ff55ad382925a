import { KINDS, type KindName } from './kinds.js';

/** The fields of a record as in its file: other records by their keys, secrets as references. */
export type Fields = Readonly<Record<string, unknown>>;

/** A record of the configuration. */
export interface ConfigurationRecord {
  kind: KindName;
  /** Its name among the records of its kind; other records refer to it by this. */
  key: string;
  fields: Fields;
}

/** A record as a file describes it. */
export interface DesiredRecord extends ConfigurationRecord {
  /** Relative to the folder. */
  file: string;
}

/** A record as it is in the project. */
export interface ActualRecord extends ConfigurationRecord {
  id: string;
  /** The version that a change is made conditional on. */
  version: number;
  /** A user who may read it, if it is not read as the caller. */
  reader?: Reader | undefined;
  /** The caller has the rights of an owner on it. */
  isCallersOwn?: boolean | undefined;
  /** No active user may read it: only its title is known, and it stays as it is. */
  isHidden?: boolean | undefined;
}

/** A user in whose name a record is read or written. */
export type Reader = { orgUserId: string } | { endUserId: string };

/** One grant, as in `shares` of a file. */
export interface ShareFields {
  scope: string;
  role: string;
  tenantUser?: string;
  tenant?: string;
  orgUser?: string;
  group?: string;
  expiresAt?: string;
}

export const SHARE_TARGETS = ['tenantUser', 'tenant', 'orgUser', 'group'] as const;
export const ACTOR_TARGETS = ['orgUser', 'tenant', 'tenantUser'] as const;

/** Scope and target, which identify a share of a resource. */
export function shareKey(share: ShareFields): string {
  const target = SHARE_TARGETS.map((name) => share[name]).find((key) => key !== undefined);
  return target === undefined ? share.scope : `${share.scope} ${target}`;
}

export function sharesOf(fields: Fields): readonly ShareFields[] {
  return (fields['shares'] ?? []) as ShareFields[];
}

/** The records without shares that have expired: these grant nothing, and the API takes none. */
export function withoutExpiredShares<T extends ConfigurationRecord>(records: readonly T[], now: number): T[] {
  const isLive = ({ expiresAt }: ShareFields) => expiresAt === undefined || Date.parse(expiresAt) > now;
  return records.map((record) => {
    const shares = sharesOf(record.fields);
    const live = shares.filter(isLive);
    return live.length === shares.length ? record : { ...record, fields: { ...record.fields, shares: live } };
  });
}

export function membersOf(fields: Fields): readonly string[] {
  return (fields['members'] ?? []) as string[];
}

/** The name of a record in messages. */
export function nameOf({ kind, key }: Pick<ConfigurationRecord, 'kind' | 'key'>): string {
  return `${KINDS[kind].noun} ${JSON.stringify(key)}`;
}

/** Identifies a record among all. */
export function addressOf({ kind, key }: Pick<ConfigurationRecord, 'kind' | 'key'>): string {
  return `${kind} ${key}`;
}
