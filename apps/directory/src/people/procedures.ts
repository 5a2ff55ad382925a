import type { Directory, DirectoryHandlers } from '../directory.js';
import { batchTenantUsers } from './batchTenantUsers.js';
import { getUserContext, listUnifiedUsers } from './listUnifiedUsers.js';
import { createOrgUser, deleteOrgUser, getOrgUser, listOrgUsers, updateOrgUser } from './manageOrgUsers.js';
import {
  createTenantUser,
  deleteTenantUser,
  getTenantUser,
  listTenantUsers,
  updateTenantUser,
} from './manageTenantUsers.js';

type PeopleHandlers = DirectoryHandlers<'orgUsers' | 'tenantUsers' | 'unifiedUsers'>;

export function createPeopleProcedures(directory: Directory): PeopleHandlers {
  return {
    orgUsers: {
      list: (input, context) => listOrgUsers(directory, input, context),
      create: (input, context) => createOrgUser(directory, input, context),
      get: (input, context) => getOrgUser(directory, input, context),
      update: (input, context) => updateOrgUser(directory, input, context),
      delete: (input, context) => deleteOrgUser(directory, input, context),
    },
    tenantUsers: {
      list: (input, context) => listTenantUsers(directory, input, context),
      create: (input, context) => createTenantUser(directory, input, context),
      get: (input, context) => getTenantUser(directory, input, context),
      update: (input, context) => updateTenantUser(directory, input, context),
      delete: (input, context) => deleteTenantUser(directory, input, context),
      batch: (input, context) => batchTenantUsers(directory, input, context),
    },
    unifiedUsers: {
      list: (input, context) => listUnifiedUsers(directory, input, context),
      get: (input, context) => getUserContext(directory, input, context),
    },
  };
}
