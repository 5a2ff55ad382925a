import { GatehouseError } from '@gatehouse/client';
import { EmptyState } from '../../components/EmptyState.js';
import type { Moment } from './reach.js';

/** Whether a request failed because the person or the resource did not exist at a moment of the past. */
export function isUnknownThen(error: unknown, at: Moment): boolean {
  return at !== undefined && error instanceof GatehouseError && error.status === 404;
}

export function UnknownMoment() {
  return (
    <EmptyState icon="history" title="Not known for this moment">
      The person or the resource did not exist then, or it existed before the audit log began. Choose a later
      moment.
    </EmptyState>
  );
}
