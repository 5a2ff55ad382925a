import { z } from 'zod';
import { rule } from '../../fieldErrors.js';
import { Group, GroupMember } from '../../records/directory.js';
import { GroupType, Id, label, SortOrder, text } from '../../vocabulary.js';
import { updateOf } from '../update.js';
import { checkPlace, Cursor, NextCursor, Search } from '../listSlice.js';
import { mutation, query } from '../procedure.js';
import { BoundedTotal, ById, Message } from './fields.js';

const GroupPage = {
  page: z.number().int().min(1).default(1),
  limit: z.number().int().min(1).max(100).default(20),
  cursor: Cursor,
};
/** The page is 1 where it is not given. */
function checkPage(
  value: { cursor?: string | undefined; page: number },
  context: z.core.$RefinementCtx,
): void {
  checkPlace(value, { page: value.page > 1 }, context);
}
const GroupPaged = {
  page: z.number().int(),
  limit: z.number().int(),
  hasMore: z.boolean(),
  ...NextCursor,
};
const UserIds = z.array(Id).min(1).max(100);

export const groups = {
  list: query(
    z
      .strictObject({
        search: Search,
        type: z.enum(['ORG_GROUP', 'TENANT_GROUP', 'all']).default('all'),
        tenantId: Id.optional(),
        includeMembers: z.boolean().default(false),
        sort: z.enum(['name', 'created', 'members']).default('name'),
        order: SortOrder.default('asc'),
        ...GroupPage,
      })
      .superRefine(checkPage),
    z.object({ groups: z.array(Group), ...BoundedTotal, ...GroupPaged }),
  ),
  create: mutation(
    z
      .strictObject({
        name: label(100),
        type: GroupType,
        description: text(0, 5000).default(''),
        tenantId: Id.optional(),
      })
      .superRefine((value, context) => {
        const isTenantGroup = value.type === 'TENANT_GROUP';
        if (isTenantGroup === (value.tenantId !== undefined)) return;
        const fault = isTenantGroup
          ? rule('is required for a TENANT_GROUP', 'required')
          : rule('does not go with an ORG_GROUP', 'conflict');
        context.addIssue({ code: 'custom', path: ['tenantId'], ...fault, input: value });
      }),
    z.object({ group: Group }),
  ),
  get: query(ById, z.object({ group: Group })),
  update: mutation(
    updateOf({ name: label(100).optional(), description: text(0, 5000).optional() }),
    z.object({ group: Group }),
  ),
  delete: mutation(ById, z.object({ ...Message, deletedGroup: z.object({ id: Id, name: z.string() }) })),
  members: query(
    z.strictObject({ id: Id, ...GroupPage }).superRefine(checkPage),
    z.object({ members: z.array(GroupMember), total: z.number().int(), ...GroupPaged }),
  ),
  addMembers: mutation(
    z.strictObject({ id: Id, userIds: UserIds }),
    z.object({ ...Message, addedMembers: z.array(GroupMember) }),
  ),
  removeMembers: mutation(
    z.strictObject({ id: Id, userIds: UserIds }),
    z.object({ ...Message, removedMembers: z.array(GroupMember) }),
  ),
  /** `memberId` is a membership's id or a user's. */
  removeMember: mutation(
    z.strictObject({ id: Id, memberId: Id }),
    z.object({ ...Message, removedMember: GroupMember }),
  ),
};
