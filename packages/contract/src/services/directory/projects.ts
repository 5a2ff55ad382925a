import { z } from 'zod';
import { Project, ProjectWithSecret, Tenant } from '../../records/directory.js';
import { Email, Id, Secret } from '../../vocabulary.js';
import { ListSlice, NextCursor, Search } from '../listSlice.js';
import { updateOf } from '../update.js';
import { mutation, query, systemOnly } from '../procedure.js';
import { ById, Ids, Message, ListPage, Listed, checkOffset, Name, OwnId } from './fields.js';

export const organizations = {
  /** Creates the first organization, project and ADMIN if there is none; a repetition changes nothing. */
  bootstrap: systemOnly(
    mutation(
      z.strictObject({
        organizationId: Id,
        organizationName: Name,
        projectId: Id,
        projectName: Name,
        projectSecret: Secret,
        adminOrgUserId: Id,
        adminEmail: Email,
        adminName: Name,
      }),
      z.object({ isNew: z.boolean() }),
    ),
  ),
};

export const projects = {
  list: query(z.strictObject(ListSlice), z.object({ projects: z.array(Project), ...NextCursor })),
  create: mutation(z.strictObject({ name: Name }), z.object({ project: ProjectWithSecret })),
  get: query(ById, z.object({ project: Project })),
  update: mutation(z.strictObject({ id: Id, name: Name }), z.object({ project: Project })),
  rotateSecret: mutation(ById, z.object({ project: ProjectWithSecret })),
};

export const tenants = {
  list: query(
    z.strictObject({ search: Search, ids: Ids, ...ListPage }).superRefine(checkOffset),
    z.object({ tenants: z.array(Tenant), ...Listed }),
  ),
  create: mutation(z.strictObject({ id: OwnId.optional(), name: Name }), z.object({ tenant: Tenant })),
  get: query(ById, z.object({ tenant: Tenant })),
  update: mutation(
    updateOf({ name: Name.optional(), defaultOwnerId: Id.nullish() }),
    z.object({ tenant: Tenant }),
  ),
  delete: mutation(ById, z.object({ ...Message, deletedTenant: z.object({ id: Id, name: z.string() }) })),
};
