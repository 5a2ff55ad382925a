import type { Sweep } from '@gatehouse/service';
import type { Directory } from '../directory.js';

/** Deletes the parts of members that interrupted changes left behind. */
export function createGroupSweeps({ stores }: Directory): Sweep[] {
  return [{ name: 'parts of members', run: (now) => stores.groupMembers.settleParts(now) }];
}
