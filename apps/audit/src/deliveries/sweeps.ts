import type { Dependencies } from '../dependencies.js';

/** How long deliveries are kept after they ended. */
const KEPT_MS = 30 * 86_400_000;

/** Deletes deliveries that ended long ago. */
export function sweepDeliveries({ deliveries }: Pick<Dependencies, 'deliveries'>, now: Date): Promise<void> {
  return deliveries.deleteEnded(new Date(now.getTime() - KEPT_MS));
}
