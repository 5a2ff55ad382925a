import { z } from 'zod';
import { UserFacts } from '../../records/directory.js';
import { GroupType, Id, UserRole, UserType } from '../../vocabulary.js';
import { compilerToo, query } from '../procedure.js';

const SubjectName = { id: Id, key: z.string(), name: z.string() };
const Person = { ...SubjectName, email: z.string(), role: UserRole, isActive: z.boolean() };
const Ids = z.array(Id).max(10_000).default([]);

/** Facts about the targets of shares, always within the caller's organization. */
export const subjects = {
  /** Those of the given ids that exist, in no particular order. */
  lookup: compilerToo(
    query(
      z.strictObject({ tenantUserIds: Ids, orgUserIds: Ids, tenantIds: Ids, groupIds: Ids }),
      z.object({
        tenantUsers: z.array(z.object({ ...Person, tenantId: Id, tenantKey: z.string() })),
        orgUsers: z.array(z.object(Person)),
        tenants: z.array(z.object(SubjectName)),
        groups: z.array(
          z.object({
            ...SubjectName,
            type: GroupType,
            tenantId: Id.nullable(),
            tenantKey: z.string().nullable(),
          }),
        ),
      }),
    ),
  ),
  /** A project of the caller's organization; null when there is no such. */
  getProject: query(
    z.strictObject({ projectId: Id }),
    z.object({ project: z.object({ id: Id, name: z.string() }).nullable() }),
  ),
  /**
   * One user's facts; null when there is no such user in the caller's organization. With `groupIds`, the
   * facts contain only those of the user's groups.
   */
  getUser: query(
    z.strictObject({ userId: Id, groupIds: z.array(Id).max(10_000).optional() }),
    z.object({ user: UserFacts.nullable() }),
  ),
  /** The facts of those of the given users that exist, in no particular order. */
  getUsers: query(
    z.strictObject({ userIds: z.array(Id).max(1000) }),
    z.object({ users: z.array(UserFacts) }),
  ),
  /**
   * The names of the people with these addresses whom the caller may know: the org users and, for a tenant
   * user, the users of its tenant.
   */
  listNames: query(
    z.strictObject({ emails: z.array(z.string()).max(1000) }),
    z.object({ people: z.array(z.object({ name: z.string(), email: z.string() })) }),
  ),
  /**
   * The active users that at least one of the selectors matches, org users first, then tenant users, each by
   * id. `after` is the last user of the previous page. `withinTenantKey` restricts the result to that
   * tenant's users. The facts name those of `groupIds` that contain the user, and no other group.
   */
  listUsers: query(
    z.strictObject({
      userKeys: z.array(z.string()).max(20_000).default([]),
      tenantKeys: z.array(z.string()).max(20_000).default([]),
      groupIds: Ids,
      allOrgUsers: z.boolean().default(false),
      allTenantUsers: z.boolean().default(false),
      withinTenantKey: z.string().optional(),
      after: z.object({ type: UserType, id: Id }).optional(),
      limit: z.number().int().min(1).max(1000),
    }),
    z.object({ users: z.array(UserFacts) }),
  ),
};
