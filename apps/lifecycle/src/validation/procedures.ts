import type { lifecycle } from '@gatehouse/contract';
import { FairShares, type CallContext, type Handlers } from '@gatehouse/service';
import type { FactSources } from './loadFacts.js';
import { validateAll } from './validateAll.js';
import { fixOne, validateOne } from './validateOne.js';

/**
 * Limits of concurrent validations, per process and per organization. Each holds templates and catalogs in
 * memory. The queue is bounded, because every queued call holds its request.
 */
const SHARES = { capacity: 8, perShare: 3, waitingPerShare: 32, waiting: 256, waitMs: 5000 };

/** Creates the procedures that validate and fix dashboards. */
export function createValidationProcedures(
  sources: FactSources,
): Handlers<(typeof lifecycle)['procedures']>['validation'] {
  const shares = new FairShares(SHARES);
  const inShare = <T>({ principal }: CallContext, task: () => Promise<T>) =>
    shares.run(principal.organizationId, task);
  return {
    validate: (input, context) => inShare(context, () => validateOne(sources, input, context)),
    validateAll: (input, context) => inShare(context, () => validateAll(sources, input, context)),
    fix: (input, context) => inShare(context, () => fixOne(sources, input, context)),
  };
}
