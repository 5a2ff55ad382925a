import { z } from 'zod';
import { ShareList, ShareRecord } from '../records/resource.js';
import { Id } from '../vocabulary.js';
import { batchInputOf, batchOutputOf } from './batch.js';
import { ListScope, ListSlice } from './listSlice.js';
import { mutation, query } from './procedure.js';
import { checkTarget, GrantEntry, GrantFields, RevokeEntry, RevokeFields } from './shareEntries.js';

const SHARE_ENTRIES_MAX = 500;

/** The verbs that dashboards and visuals have in common. */
export const sharing = {
  grant: mutation(
    z.strictObject({ id: Id, shares: z.array(GrantEntry).min(1).max(SHARE_ENTRIES_MAX) }),
    z.object({ message: z.string(), shares: z.array(ShareRecord) }),
  ),
  revoke: mutation(
    z.strictObject({ id: Id, shares: z.array(RevokeEntry).min(1).max(SHARE_ENTRIES_MAX) }),
    z.object({ message: z.string(), removed: z.array(ShareRecord) }),
  ),
  /** Of one resource. An update changes the role or the expiry of a share, as a grant does. */
  batch: mutation(
    batchInputOf({ id: Id }, [
      GrantFields.extend({ op: z.literal('create') }).superRefine(checkTarget),
      GrantFields.extend({ op: z.literal('update') }).superRefine(checkTarget),
      RevokeFields.extend({ op: z.literal('delete') }).superRefine(checkTarget),
    ]),
    batchOutputOf({
      message: z.string().optional(),
      shares: z.array(ShareRecord).optional(),
      removed: z.array(ShareRecord).optional(),
    }),
  ),
  /** By scope. A part has the oldest shares that follow the cursor. */
  list: query(z.strictObject({ id: Id, scope: ListScope, ...ListSlice }), ShareList),
};
