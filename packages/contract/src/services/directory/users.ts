import { z } from 'zod';
import type { FieldErrorCode } from '../../errors.js';
import { rule } from '../../fieldErrors.js';
import { CallerContext, OrgUser, TenantUser, UnifiedUser, UserContext } from '../../records/directory.js';
import { Email, Id, OrgUserRole, TenantUserRole, UserType } from '../../vocabulary.js';
import { updateOf } from '../update.js';
import { batchInputOf, batchOutputOf, itemUpdateOf } from '../batch.js';
import { checkPlace, Cursor, NextCursor, Search } from '../listSlice.js';
import { mutation, query } from '../procedure.js';
import { ById, Ids, Message, ListPage, Listed, checkOffset, Name, Department, OwnId } from './fields.js';

const DeletedUser = z.object({
  ...Message,
  deletedUser: z.object({ id: Id, email: z.string(), name: z.string() }),
});

export const orgUsers = {
  list: query(
    z.strictObject({ search: Search, active: z.boolean().optional(), ...ListPage }).superRefine(checkOffset),
    z.object({ users: z.array(OrgUser), ...Listed }),
  ),
  create: mutation(
    z.strictObject({
      email: Email,
      name: Name,
      role: OrgUserRole,
      department: Department.default(''),
      isActive: z.boolean().default(true),
    }),
    z.object({ user: OrgUser }),
  ),
  get: query(ById, z.object({ user: OrgUser })),
  update: mutation(
    updateOf({
      email: Email.optional(),
      name: Name.optional(),
      role: OrgUserRole.optional(),
      department: Department.optional(),
      isActive: z.boolean().optional(),
    }),
    z.object({ user: OrgUser }),
  ),
  delete: mutation(ById, DeletedUser),
};

const PAGE_MODES = 'use limit and offset, or page and pageSize, not both';
const TenantUserQuery = z
  .strictObject({
    search: Search,
    active: z.boolean().optional(),
    tenantId: Id.optional(),
    limit: z.number().int().min(1).max(1000).optional(),
    offset: z.number().int().min(0).optional(),
    /** From zero, unlike the page of a group list. */
    page: z.number().int().min(0).optional(),
    pageSize: z.number().int().min(1).max(1000).optional(),
    cursor: Cursor,
  })
  .superRefine((value, context) => {
    const { offset, page, pageSize } = value;
    const isGiven = (field: number | undefined) => field !== undefined;
    const others = { offset: isGiven(offset), page: isGiven(page), pageSize: isGiven(pageSize) };
    checkPlace(value, others, context);
    const complain = (field: string, message: string, code: FieldErrorCode) =>
      context.addIssue({ code: 'custom', path: [field], ...rule(message, code), input: value });
    const isPaged = value.page !== undefined || value.pageSize !== undefined;
    if (isPaged && value.limit !== undefined) complain('limit', PAGE_MODES, 'conflict');
    if (isPaged && value.offset !== undefined) complain('offset', PAGE_MODES, 'conflict');
    if (value.page !== undefined && value.pageSize === undefined)
      complain('pageSize', 'is required with page', 'required');
    if (value.pageSize !== undefined && value.page === undefined)
      complain('page', 'is required with pageSize', 'required');
  });

const NewTenantUser = {
  id: OwnId.optional(),
  tenantId: Id,
  email: Email,
  name: Name.optional(),
  role: TenantUserRole.default('VIEWER'),
  department: Department.default(''),
  isActive: z.boolean().default(true),
};
const TenantUserChange = {
  email: Email.optional(),
  name: Name.optional(),
  role: TenantUserRole.optional(),
  department: Department.optional(),
  isActive: z.boolean().optional(),
};

export const tenantUsers = {
  list: query(
    TenantUserQuery,
    z.object({
      users: z.array(TenantUser),
      total: z.number().int(),
      ...NextCursor,
      userContext: CallerContext,
    }),
  ),
  create: mutation(z.strictObject(NewTenantUser), z.object({ user: TenantUser })),
  get: query(ById, z.object({ user: TenantUser })),
  update: mutation(updateOf(TenantUserChange), z.object({ user: TenantUser })),
  delete: mutation(ById, DeletedUser),
  batch: mutation(
    batchInputOf({}, [
      z.strictObject({ op: z.literal('create'), ...NewTenantUser }),
      itemUpdateOf({ id: Id }, TenantUserChange),
      z.strictObject({ op: z.literal('delete'), id: Id }),
    ]),
    batchOutputOf({
      user: TenantUser.optional(),
      message: z.string().optional(),
      deletedUser: DeletedUser.shape.deletedUser.optional(),
    }),
  ),
};

export const unifiedUsers = {
  list: query(
    z
      .strictObject({
        search: Search,
        ids: Ids,
        type: UserType.optional(),
        tenantId: Id.optional(),
        ...ListPage,
      })
      .superRefine(checkOffset),
    z.object({ users: z.array(UnifiedUser), ...Listed }),
  ),
  get: query(ById, UserContext),
};
