import { z } from 'zod';
import { UserFacts } from '../../records/directory.js';
import { LastEvent, PastResource } from '../../records/resource.js';
import { Id, ResourceType, Timestamp } from '../../vocabulary.js';
import { query } from '../procedure.js';

/**
 * What was so at a moment in the past, as the record of events tells it, in the caller's organization and project. It says what
 * was so and decides nothing.
 */
export const history = {
  /** Who had the id then. Null where nobody had it, and to a tenant user for those outside its tenant. */
  user: query(
    z.strictObject({ userId: Id, at: Timestamp }),
    z.object({
      found: z.object({ user: UserFacts, basedOn: LastEvent }).nullable(),
      /** Of the newest event of the organization that is recorded; null when there is none. */
      recordedUntil: Timestamp.nullable(),
    }),
  ),
  /** A resource, and for a visual the dashboards that linked it then. Null where there was none. */
  resource: query(
    z.strictObject({
      type: ResourceType,
      id: Id,
      at: Timestamp,
      /** Whose shares to give, as shares name their subjects. */
      subjects: z.array(z.string()).max(20_000),
    }),
    z.object({
      found: z
        .object({ resource: PastResource, linkedFrom: z.array(PastResource), basedOn: LastEvent })
        .nullable(),
    }),
  ),
};
