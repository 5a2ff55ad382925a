import {
  AppError,
  type access,
  type GrantEntry,
  type InputOf,
  type OutputOf,
  type RevokeEntry,
} from '@gatehouse/contract';
import { runBatch, toAppError, type CallContext } from '@gatehouse/service';
import { grantShares, revokeShares, type SharingDependencies } from './grantShares.js';
import type { Share } from './logic/grants.js';
import { targetNameOf } from './resolveTargets.js';

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

/** The share of a target; undefined if there is none. */
async function findShare(
  { kind }: SharingDependencies,
  { id, entry }: { id: string; entry: RevokeEntry },
  { principal: { projectId } }: CallContext,
): Promise<Share | undefined> {
  const targetId = targetNameOf(entry)?.id ?? null;
  const { shares } = await kind.store.getHeader(projectId, id);
  return shares.find((share) => share.scope === entry.scope && share.targetId === targetId);
}

/** Restores the share of a target as it was before a grant, unless it has changed since. */
async function undoGrant(
  sharing: SharingDependencies,
  { id, entry, former }: { id: string; entry: GrantEntry; former: Share | undefined },
  context: CallContext,
): Promise<void> {
  const present = await findShare(sharing, { id, entry }, context);
  if (present?.role !== entry.role) throw new AppError('CONFLICT');
  if (former === undefined) return void (await revokeShares(sharing, { id, shares: [entry] }, context));
  const expiresAt = former.expiresAt?.toISOString() ?? null;
  await grantShares(sharing, { id, shares: [{ ...entry, role: former.role, expiresAt }] }, context);
}

/** Runs the operations of a batch as single requests would. See {@link runBatch}. */
export async function batchShares(
  sharing: SharingDependencies,
  { id, ...batch }: InputOf<Batch>,
  context: CallContext,
): Promise<OutputOf<Batch>> {
  const grant = (success: 200 | 201) => ({
    success,
    run: (entry: GrantEntry, own: CallContext) => ofEntry(grantShares(sharing, { id, shares: [entry] }, own)),
    async prepareUndo(entry: GrantEntry, own: CallContext) {
      const former = await findShare(sharing, { id, entry }, own);
      return () => undoGrant(sharing, { id, entry, former }, own);
    },
  });
  const revoke = {
    success: 200 as const,
    run: (entry: RevokeEntry, own: CallContext) =>
      ofEntry(revokeShares(sharing, { id, shares: [entry] }, own)),
  };
  return runBatch(batch, { create: grant(200), update: grant(200), delete: revoke }, context);
}
