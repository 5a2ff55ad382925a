import { z } from 'zod';
import { UserFacts } from '../../records/directory.js';
import { LastEvent, PastResource } from '../../records/resource.js';
import { Id, ResourceType, Timestamp } from '../../vocabulary.js';
import { query } from '../procedure.js';

/**
 * The state at a moment in the past, derived from the recorded events, in the caller's organization and
 * project. It reports facts and decides nothing.
 */
export const history = {
  /**
   * The user who had the id then. Null if there was none, and to a tenant user for those outside its tenant.
   */
  user: query(
    z.strictObject({ userId: Id, at: Timestamp }),
    z.object({
      found: z.object({ user: UserFacts, basedOn: LastEvent }).nullable(),
      /** Of the newest event of the organization that is recorded; null when there is none. */
      recordedUntil: Timestamp.nullable(),
    }),
  ),
  /** A resource, and for a visual the dashboards that linked it then. Null if there was none. */
  resource: query(
    z.strictObject({
      type: ResourceType,
      id: Id,
      at: Timestamp,
      /** The subjects whose shares to return. */
      subjects: z.array(z.string()).max(20_000),
    }),
    z.object({
      found: z
        .object({ resource: PastResource, linkedFrom: z.array(PastResource), basedOn: LastEvent })
        .nullable(),
    }),
  ),
};
