import type { ShardKey } from '@gatehouse/service';
import { changesField, fieldsOf, fixes, type Statement } from './statements.js';

/** A query that a sharded database sends to every shard, and why. */
export interface Exception {
  /** Its collections, as `service.collection`; absent for every collection. */
  collections?: readonly string[];
  command: string;
  /** The fields of its condition. */
  by: readonly string[];
  /** The fields that it changes, of an update. */
  changes?: readonly string[];
  reason: string;
  /** True if no request of an operation causes it. */
  isRare?: boolean;
}

function changedBy({ update }: Statement): string[] {
  if (update === undefined) return [];
  const parts = Array.isArray(update) ? update : [update];
  return parts
    .flatMap((part) => Object.values(part).flatMap((fields) => Object.keys(Object(fields))))
    .toSorted();
}

function isExcepted(
  service: string,
  statement: Statement,
  { collections, command, by, changes = [] }: Exception,
): boolean {
  const place = `${service}.${statement.collection}`;
  return (
    (collections === undefined || collections.includes(place)) &&
    command === statement.command &&
    fieldsOf(statement.filter ?? {}).join() === by.join() &&
    (statement.update === undefined || changedBy(statement).join() === changes.join())
  );
}

/** What a statement lacks on a sharded database, as words; null if nothing. */
function lackOf(statement: Statement, key: ShardKey): string | null {
  const fields = Object.keys(key);
  const { filter, inserted, update, isSingle = false } = statement;
  if (inserted !== undefined) {
    const missing = fields.filter((field) => typeof inserted[field] !== 'string');
    return missing.length === 0 ? null : `inserts without ${missing.join(', ')}`;
  }
  const changed = fields.filter((field) => update !== undefined && changesField(update, field));
  if (changed.length > 0) return `changes ${changed.join(', ')}`;
  const required = isSingle ? fields : fields.slice(0, 1);
  const missing = required.filter((field) => !fixes(filter ?? {}, field));
  return missing.length === 0 ? null : `lacks ${missing.join(', ')}`;
}

/** Finds the statements without their shard key, and records which exceptions were needed. */
export class ShardKeyCheck {
  /** Each kind of statement once. */
  readonly faults = new Set<string>();
  /** `service.collection` of every statement. */
  readonly seen = new Set<string>();
  readonly needed = new Set<Exception>();

  constructor(
    readonly keysOf: Readonly<Record<string, Readonly<Record<string, ShardKey | null>>>>,
    readonly exceptions: readonly Exception[],
  ) {}

  /** A unique index begins with the shard key, or a sharded database rejects it. */
  checkUnique(service: string, collection: string, fields: readonly string[]): void {
    const key = Object.entries(this.keysOf[service]?.[collection] ?? {});
    const isPrefix = key.every(([field, kind], index) => fields[index] === field && kind === 1);
    if (!isPrefix) this.faults.add(`the unique index ${fields.join(', ')} of ${service}.${collection}`);
  }

  check(service: string, statement: Statement): void {
    const place = `${service}.${statement.collection}`;
    this.seen.add(place);
    const key = this.keysOf[service]?.[statement.collection];
    if (key === undefined) this.faults.add(`${place} has no shard key`);
    if (!key) return;
    const lack = lackOf(statement, key);
    if (lack === null) return;
    const exception = this.exceptions.find((each) => isExcepted(service, statement, each));
    if (exception !== undefined && lack.startsWith('lacks')) {
      this.needed.add(exception);
      return;
    }
    const by = fieldsOf(statement.filter ?? {}).join(', ');
    const changes = changedBy(statement).join(', ');
    this.faults.add(`${statement.command} ${place} by [${by}] changing [${changes}]: ${lack}`);
  }
}
