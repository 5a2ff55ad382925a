import {
  AppError,
  type access,
  type GrantEntry,
  type InputOf,
  type OutputOf,
  type RevokeEntry,
} from '@gatehouse/contract';
import { runBatch, toAppError, type CallContext } from '@gatehouse/service';
import { isExpired } from '../decisions/logic/access.js';
import { grantShares, revokeShares, type SharingDependencies } from './grantShares.js';
import type { ShareChange } from './logic/grants.js';

type Batch = (typeof access)['procedures']['dashboardShares']['batch'];

/** The fields of an operation are those of its entry, which a single request has in a list. */
async function ofEntry<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    const error = toAppError(thrown);
    const fieldErrors = error.fieldErrors?.map((fault) => ({
      ...fault,
      field: fault.field.replace(/^shares\[0\]\./, ''),
    }));
    throw new AppError(error.code, {
      ...error.toWire(),
      message: error.message.replace(/^shares\[0\]: /, ''),
      fieldErrors,
      cause: error.cause,
    });
  }
}

/**
 * Restores the share of an entry as it was before the change that its grant has made. A share that had
 * expired gave no access, and is removed. Throws CONFLICT if it has changed since.
 */
async function undoGrant(
  sharing: SharingDependencies,
  { id, entry, change }: { id: string; entry: GrantEntry; change: ShareChange | undefined },
  context: CallContext,
): Promise<void> {
  if (change === undefined) return;
  const { share: undone, previous } = change;
  if (previous === null || isExpired(previous, context.now))
    return void (await revokeShares(sharing, { id, shares: [entry], undone }, context));
  const expiresAt = previous.expiresAt?.toISOString() ?? null;
  const shares = [{ ...entry, role: previous.role, expiresAt }];
  await grantShares(sharing, { id, shares, undone }, context);
}

/** Runs the operations of a batch as single requests would. See {@link runBatch}. */
export async function batchShares(
  sharing: SharingDependencies,
  { id, ...batch }: InputOf<Batch>,
  context: CallContext,
): Promise<OutputOf<Batch>> {
  const changes = new Map<GrantEntry, ShareChange | undefined>();
  const grant = (success: 200 | 201) => ({
    success,
    run(entry: GrantEntry, own: CallContext) {
      const onGranted = ([change]: readonly ShareChange[]) => void changes.set(entry, change);
      return ofEntry(grantShares(sharing, { id, shares: [entry], onGranted }, own));
    },
    prepareUndo: async (entry: GrantEntry, own: CallContext) => ({
      undo: () => undoGrant(sharing, { id, entry, change: changes.get(entry) }, own),
    }),
  });
  const revoke = {
    success: 200 as const,
    run: (entry: RevokeEntry, own: CallContext) =>
      ofEntry(revokeShares(sharing, { id, shares: [entry] }, own)),
  };
  return runBatch(batch, { create: grant(200), update: grant(200), delete: revoke }, context);
}
