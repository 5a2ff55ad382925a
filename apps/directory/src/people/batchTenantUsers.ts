import { runBatch, undoUpdate, type CallContext } from '@gatehouse/service';
import type { Directory, Input, Output } from '../directory.js';
import { createTenantUser, deleteTenantUser, getTenantUser, updateTenantUser } from './manageTenantUsers.js';

/** Runs the operations of a batch as single requests would. See {@link runBatch}. */
export async function batchTenantUsers(
  directory: Directory,
  input: Input<'tenantUsers', 'batch'>,
  context: CallContext,
): Promise<Output<'tenantUsers', 'batch'>> {
  return runBatch(
    input,
    {
      create: {
        success: 201,
        run: (user, own) => createTenantUser(directory, user, own),
        stateOf: ({ user }) => user,
        prepareUndo: async (_, own) => ({
          undo: ({ user: { id, version } }) =>
            deleteTenantUser(directory, { id }, { ...own, ifMatch: [version] }),
        }),
      },
      update: {
        success: 200,
        run: (change, own) => updateTenantUser(directory, change, own),
        stateOf: ({ user }) => user,
        async prepareUndo(change, own) {
          const { user: before } = await getTenantUser(directory, change, own);
          const former = undoUpdate(change, before);
          return {
            version: before.version,
            undo: ({ user: { version } }) =>
              updateTenantUser(directory, former, { ...own, ifMatch: [version] }),
          };
        },
      },
      delete: { success: 200, run: ({ id }, own) => deleteTenantUser(directory, { id }, own) },
    },
    context,
  );
}
