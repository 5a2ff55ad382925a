import { AppError, type FieldError, type Principal } from '@gatehouse/contract';
import { duplicateKeysOf } from '@gatehouse/service';
import {
  judgeAdmin,
  judgeAuthor,
  judgeDomainCreator,
  judgeReader,
  type Refusal,
} from '../logic/authority.js';

const REFUSAL_MESSAGE: Record<Refusal, string> = {
  dashboardToken: 'A dashboard token reaches its dashboard only',
  noRole: 'This needs a token that acts as a user',
  notAdmin: 'This needs the ADMIN role',
  notAuthor: 'This needs an org user with the AUTHOR or ADMIN role',
  limitedDomains: 'This needs a token that may access all semantic domains',
};

function orForbidden<T extends object>(judged: T | Refusal): T {
  if (typeof judged === 'string') throw new AppError('FORBIDDEN', { message: REFUSAL_MESSAGE[judged] });
  return judged;
}

/** The caller as one who reads semantic domains. Throws FORBIDDEN. */
export const requireReader = (principal: Principal) => orForbidden(judgeReader(principal));
/** The caller as one who creates semantic domains. Throws FORBIDDEN. */
export const requireDomainCreator = (principal: Principal) => orForbidden(judgeDomainCreator(principal));
/** The caller as an author. Throws FORBIDDEN. */
export const requireAuthor = (principal: Principal) => orForbidden(judgeAuthor(principal));
/** The caller as an ADMIN. Throws FORBIDDEN. */
export const requireAdmin = (principal: Principal) => orForbidden(judgeAdmin(principal));

/** Throws INVALID_REQUEST when there are faults; `prefix` is put before each field. */
export function refuseFaults(faults: readonly FieldError[], prefix = ''): void {
  if (faults.length === 0) return;
  const fieldErrors = faults.map(({ field, message }) => ({ field: prefix + field, message }));
  throw new AppError('INVALID_REQUEST', { fieldErrors });
}

/** Runs a write; throws CONFLICT when another record of the project has the name. */
export async function refuseTakenName<T>(noun: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (duplicateKeysOf(error)?.at(-1) !== 'name') throw error;
    throw new AppError('CONFLICT', {
      message: `The project has a ${noun} of this name`,
      fieldErrors: [{ field: 'name', message: 'is taken' }],
      cause: error,
    });
  }
}

/** The most records of one noun that a project may have: their lists come whole. */
const RECORDS_MAX = 1000;

/** Throws CONFLICT when the project has as many records of a store as it may. */
export async function requireRoom(
  store: { count(projectId: string, limit: number): Promise<number> },
  projectId: string,
  noun: string,
): Promise<void> {
  if ((await store.count(projectId, RECORDS_MAX)) < RECORDS_MAX) return;
  throw new AppError('CONFLICT', { message: `A project has at most ${RECORDS_MAX} ${noun}s` });
}
