import type { KindName, Target } from '../model/kinds.js';
import { assignKeys, naturalKey } from '../model/keys.js';
import type { ActualRecord, Fields, Reader } from '../model/records.js';
import { kindsOf } from '../model/references.js';

/** A record that was read, before it has its key. */
export interface Found {
  id: string;
  version: number;
  createdAt: string;
  fields: Fields;
  reader?: Reader | undefined;
  isCallersOwn?: boolean | undefined;
  isHidden?: boolean | undefined;
}

/** The records of a project that have been read so far. */
export class Collection {
  readonly records: ActualRecord[] = [];
  /** What could not be read, in sentences. */
  readonly warnings: string[] = [];
  readonly #byId = new Map<string, ActualRecord>();

  /** Adds all records of a kind. */
  add(kind: KindName, found: readonly Found[]): void {
    const keys = assignKeys(
      found.map(({ id, createdAt, fields }) => ({ id, createdAt, natural: naturalKey(kind, fields) })),
    );
    for (const [index, { createdAt: _createdAt, ...read }] of found.entries()) {
      const record: ActualRecord = { kind, key: keys[index] ?? read.id, ...read };
      this.records.push(record);
      this.#byId.set(`${kind} ${record.id}`, record);
    }
  }

  /** The key of a record by its id; undefined for an unknown id. */
  keyOf(target: Target, id: string | null | undefined): string | undefined {
    if (typeof id !== 'string') return undefined;
    for (const kind of kindsOf(target)) {
      const record = this.#byId.get(`${kind} ${id}`);
      // A file cannot refer to a record that has none.
      if (record) return record.isHidden === true ? undefined : record.key;
    }
    return undefined;
  }

  ofKind(kind: KindName): ActualRecord[] {
    return this.records.filter((record) => record.kind === kind);
  }
}
