import type { KindName } from '../model/kinds.js';
import type { Fields, ShareFields } from '../model/records.js';

interface Addressed {
  kind: KindName;
  key: string;
}

/** One request of an apply, or the few that write one record. */
export type Step =
  | (Addressed & { action: 'create'; fields: Fields })
  | (Addressed & { action: 'update'; fields: Fields })
  | (Addressed & { action: 'grant' | 'revoke'; shares: ShareFields[] })
  | (Addressed & { action: 'addMembers' | 'removeMembers'; members: string[] })
  | (Addressed & { action: 'delete' });
