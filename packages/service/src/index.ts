export * from './activity.js';
export * from './batch/runBatch.js';
export * from './callBatcher.js';
export * from './callContext.js';
export * from './cursor.js';
export * from './config.js';
export * from './deadLetters.js';
export * from './elapsed.js';
export { currentDryRun, runCall } from './dryRun/dryRun.js';
export * from './events/bus.js';
export * from './events/defineConsumer.js';
export { SubjectLanes } from './events/delivery.js';
export * from './events/inProcessBus.js';
export * from './events/nats.js';
export type { NatsBusOptions } from './events/natsBus.js';
export * from './fairShares.js';
export * from './freePorts.js';
export * from './ids.js';
export * from './internalToken.js';
export * from './log.js';
export * from './mongo/archive.js';
export * from './mongo/database.js';
export * from './mongo/databaseErrors.js';
export * from './mongo/outbox.js';
export * from './mongo/platformCollection.js';
export {
  afterCursor,
  countWithin,
  cutSlice,
  positionAt,
  type ListOrder,
  type ListSlice,
} from './mongo/listSlice.js';
export * from './mongo/recordStore.js';
export * from './mongo/relay.js';
export * from './mongo/reseal.js';
export * from './mongo/scopedCollection.js';
export * from './mongo/storedRecord.js';
export * from './mongo/undoneRecords.js';
export * from './network/destination.js';
export * from './observability/metrics.js';
export * from './observability/observe.js';
export * from './observability/tracing.js';
export * from './process.js';
export * from './quotas/ledger.js';
export * from './quotas/limits.js';
export * from './quotas/quota.js';
export * from './quotas/storedUsage.js';
export * from './refusals.js';
export * from './retryOnConflict.js';
export * from './rpc/client.js';
export * from './rpc/envelope.js';
export * from './rpc/errors.js';
export * from './rpc/router.js';
export * from './rpc/serve.js';
export * from './sealing.js';
export * from './search/filteredLists.js';
export * from './search/missingTerms.js';
export * from './search/position.js';
export * from './search/terms.js';
export * from './serviceDefinition.js';
export * from './serviceUrls.js';
export * from './startService.js';
export * from './sweeper.js';
export * from './runInSlices.js';
export * from './turns.js';
