import { AppError, type OrgUserPrincipal, type Principal } from '@gatehouse/contract';
import { duplicateKeysOf } from '@gatehouse/service';
import {
  judgeAdmin,
  judgeGroupManager,
  judgeReader,
  judgeTenantUserReader,
  type Reader,
  type Refusal,
} from '../logic/authority.js';

const REFUSAL_MESSAGE: Record<Refusal, string> = {
  dashboardToken: 'A dashboard token reaches its dashboard only',
  noRole: 'This needs a token that acts as a user',
  notAdmin: 'This needs the ADMIN role',
  notAuthor: 'This needs an org user with the AUTHOR or ADMIN role',
};

function orForbidden<T extends object>(judged: T | Refusal): T {
  if (typeof judged === 'string') throw new AppError('FORBIDDEN', { message: REFUSAL_MESSAGE[judged] });
  return judged;
}

/** What the caller may read of tenants, groups and people. Throws FORBIDDEN. */
export function requireReader(principal: Principal): Reader {
  return orForbidden(judgeReader(principal));
}

/** What the caller may read of tenant users. Throws FORBIDDEN. */
export function requireTenantUserReader(principal: Principal): Reader {
  return orForbidden(judgeTenantUserReader(principal));
}

/** The caller as an ADMIN. Throws FORBIDDEN. */
export function requireAdmin(principal: Principal): OrgUserPrincipal {
  return orForbidden(judgeAdmin(principal));
}

/** The caller as one who manages groups. Throws FORBIDDEN. */
export function requireGroupManager(principal: Principal): OrgUserPrincipal {
  return orForbidden(judgeGroupManager(principal));
}

/** The index of each field that must be unique, and what is said when it is not. */
type DuplicateMessages = Record<string, { field: string; message: string }>;

/** Runs a write; throws CONFLICT with the field when a unique index that `messages` knows by its last key refuses it. */
export async function refuseDuplicates<T>(messages: DuplicateMessages, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const known = messages[duplicateKeysOf(error)?.at(-1) ?? ''];
    if (!known) throw error;
    const { field, message } = known;
    throw new AppError('CONFLICT', { message, fieldErrors: [{ field, message: 'is taken' }], cause: error });
  }
}
