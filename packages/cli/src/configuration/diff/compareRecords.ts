import { isDeepStrictEqual } from 'node:util';
import { KIND_NAMES, KINDS } from '../model/kinds.js';
import {
  addressOf,
  membersOf,
  nameOf,
  shareKey,
  sharesOf,
  type ActualRecord,
  type ConfigurationRecord,
  type Fields,
  type ShareFields,
} from '../model/records.js';
import { hideSecrets } from '../model/secrets.js';
import type { Change, Difference, FieldChange } from './changes.js';

/** Without absent members, which JSON does not have. */
const asJson = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);

function isSame(before: unknown, after: unknown): boolean {
  return isDeepStrictEqual(asJson(before), asJson(after));
}

function compareMembers(before: Fields, after: Fields): FieldChange[] {
  const [present, wanted] = [new Set(membersOf(before)), new Set(membersOf(after))];
  const added = [...wanted].filter((member) => !present.has(member));
  const removed = [...present].filter((member) => !wanted.has(member));
  return added.length + removed.length === 0 ? [] : [{ field: 'members', added, removed }];
}

function compareShares(before: Fields, after: Fields): FieldChange[] {
  const byKey = (shares: readonly ShareFields[]) => new Map(shares.map((share) => [shareKey(share), share]));
  const [present, wanted] = [byKey(sharesOf(before)), byKey(sharesOf(after))];
  const isKept = (share: ShareFields) => {
    const other = present.get(shareKey(share));
    return other !== undefined && other.role === share.role && timeOf(other) === timeOf(share);
  };
  const added = [...wanted.values()].filter((share) => !isKept(share));
  const removed = [...present.values()].filter((share) => !wanted.has(shareKey(share)));
  return added.length + removed.length === 0 ? [] : [{ field: 'shares', added, removed }];
}

const timeOf = ({ expiresAt }: ShareFields) => (expiresAt === undefined ? null : Date.parse(expiresAt));

/** The changed fields of a record. A field that the file does not have is not managed. */
function compareFields(desired: ConfigurationRecord, actual: ConfigurationRecord): FieldChange[] {
  const [before, after] = [
    hideSecrets(actual.kind, actual.fields),
    hideSecrets(desired.kind, desired.fields),
  ];
  return Object.keys(after).flatMap((field): FieldChange[] => {
    if (field === 'members') return compareMembers(before, after);
    if (field === 'shares') return compareShares(before, after);
    const [from, to] = [before[field], after[field]];
    if (to === undefined || isSame(from, to)) return [];
    return [{ field, before: from ?? null, after: to }];
  });
}

const inOrder = <T extends { kind: ConfigurationRecord['kind'] }>(records: readonly T[]) =>
  KIND_NAMES.flatMap((kind) => records.filter((record) => record.kind === kind));

function fixedProblems(desired: ConfigurationRecord, changes: readonly FieldChange[]): string[] {
  const { fixed } = KINDS[desired.kind];
  return changes.flatMap((change) =>
    fixed.includes(change.field) && 'before' in change
      ? [
          `${nameOf(desired)}: ${change.field} cannot change from ${JSON.stringify(change.before)} to ` +
            JSON.stringify(change.after),
        ]
      : [],
  );
}

/**
 * Compares the files with the project.
 *
 * @param isPruned whether records that are only in the project are deleted
 */
export function compareRecords(
  desired: readonly ConfigurationRecord[],
  actual: readonly ActualRecord[],
  { isPruned, callerId }: { isPruned: boolean; callerId: string },
): Difference {
  const present = new Map(actual.map((record) => [addressOf(record), record]));
  const wanted = new Set(desired.map(addressOf));
  const problems: string[] = [];
  const changes = inOrder(desired).flatMap((record): Change[] => {
    const { kind, key } = record;
    const other = present.get(addressOf(record));
    if (other === undefined) return [{ action: 'create', kind, key, fields: record.fields }];
    if (other.isHidden === true) return [];
    const fields = compareFields(record, other);
    problems.push(...fixedProblems(record, fields));
    return fields.length === 0 ? [] : [{ action: 'update', kind, key, fields }];
  });
  const extra = inOrder(actual).filter(
    (record) => !wanted.has(addressOf(record)) && record.isHidden !== true && record.id !== callerId,
  );
  const deletions = extra
    .map(({ kind, key, id }): Change => ({ action: 'delete', kind, key, id }))
    .toReversed();
  return {
    changes: isPruned ? [...changes, ...deletions] : changes,
    unmanaged: isPruned ? [] : extra.map(({ kind, key }) => ({ kind, key })),
    problems,
  };
}
