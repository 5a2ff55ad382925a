import type { access, InputOf, OutputOf } from '@gatehouse/contract';
import { runBatch, undoUpdate, type CallContext, type Handlers } from '@gatehouse/service';

type DashboardHandlers = Handlers<(typeof access)['procedures']>['dashboards'];
type Batch = (typeof access)['procedures']['dashboards']['batch'];

/** Runs the operations of a batch as single requests would. See {@link runBatch}. */
export async function batchDashboards(
  dashboards: Omit<DashboardHandlers, 'batch'>,
  input: InputOf<Batch>,
  context: CallContext,
): Promise<OutputOf<Batch>> {
  return runBatch(
    input,
    {
      create: {
        success: 201,
        run: (dashboard, own) => dashboards.create(dashboard, own),
        stateOf: ({ dashboard }) => dashboard,
        prepareUndo: async (_, own) => ({
          undo: ({ dashboard: { id, version } }) => dashboards.delete({ id }, { ...own, ifMatch: [version] }),
        }),
      },
      update: {
        success: 200,
        run: (change, own) => dashboards.update(change, own),
        stateOf: ({ dashboard }) => dashboard,
        async prepareUndo(change, own) {
          const { dashboard: before } = await dashboards.get({ id: change.id }, own);
          const former = undoUpdate(change, before);
          return {
            version: before.version,
            undo: ({ dashboard: { version } }) => dashboards.update(former, { ...own, ifMatch: [version] }),
          };
        },
      },
      delete: { success: 200, run: ({ id }, own) => dashboards.delete({ id }, own) },
    },
    context,
  );
}
