import type { KindName } from '../model/kinds.js';
import type { Fields, ShareFields } from '../model/records.js';

/** A changed field. For shares and members only what is added and removed. */
export type FieldChange =
  | { field: string; before: unknown; after: unknown }
  | { field: 'members'; added: string[]; removed: string[] }
  | { field: 'shares'; added: ShareFields[]; removed: ShareFields[] };

interface Addressed {
  kind: KindName;
  key: string;
}

/** The difference between the project and the files in one record. */
export type Change =
  | (Addressed & { action: 'create'; fields: Fields })
  | (Addressed & { action: 'update'; fields: FieldChange[] })
  | (Addressed & { action: 'delete'; id: string });

/** The difference between a project and a folder. */
export interface Difference {
  changes: Change[];
  /** The records that are in the project alone, and stay because nothing is pruned. */
  unmanaged: { kind: KindName; key: string }[];
  /** Why the project cannot become what the files describe, in sentences. */
  problems: string[];
}
