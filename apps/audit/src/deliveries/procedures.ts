import type { audit } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import type { Dependencies } from '../dependencies.js';
import { getDelivery, listDeliveries, replayDelivery, replayFailed } from './manageDeliveries.js';
import type { DeliveryWorker } from './worker.js';

type Verbs = 'listDeliveries' | 'getDelivery' | 'replayDelivery' | 'replayFailed';

export function createDeliveryProcedures(
  dependencies: Dependencies,
  worker: Pick<DeliveryWorker, 'wake'>,
): Pick<Handlers<typeof audit.procedures>['webhooks'], Verbs> {
  return {
    listDeliveries: (input, context) => listDeliveries(dependencies, input, context),
    getDelivery: (input, context) => getDelivery(dependencies, input, context),
    replayDelivery: (input, context) =>
      replayDelivery(dependencies, input, context).finally(() => worker.wake()),
    replayFailed: (input, context) => replayFailed(dependencies, input, context).finally(() => worker.wake()),
  };
}
