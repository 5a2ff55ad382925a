import { z } from 'zod';
import { UserFacts } from '../../records/directory.js';
import { LastEvent, PastResource } from '../../records/resource.js';
import { Id, ResourceType, Timestamp } from '../../vocabulary.js';
import { query } from '../procedure.js';

/** The records with these ids or, without ids, the next ones after an id, in the order of their ids. */
const Selection = { ids: z.array(Id).max(1000).optional(), afterId: Id.optional() };
/** Null at the end. A page may be empty although others follow. */
const NextAfterId = { nextAfterId: Id.nullable() };

/**
 * The state at a moment in the past, derived from the recorded events, in the caller's organization and
 * project. It reports facts and decides nothing.
 */
export const history = {
  /** The users who had an id then; to a tenant user, only those of its tenant. */
  users: query(
    z.strictObject({ at: Timestamp, ...Selection }),
    z.object({
      users: z.array(z.object({ user: UserFacts, basedOn: LastEvent })),
      /** Of the newest event of the organization that is recorded; null when there is none. */
      recordedUntil: Timestamp.nullable(),
      ...NextAfterId,
    }),
  ),
  /** The dashboards or visuals of then. */
  resources: query(
    z.strictObject({
      type: ResourceType,
      at: Timestamp,
      /** The subjects whose shares to return. */
      subjects: z.array(z.string()).max(20_000),
      ...Selection,
    }),
    z.object({
      resources: z.array(z.object({ resource: PastResource, basedOn: LastEvent })),
      /** The dashboards that linked one of these visuals then. */
      linking: z.array(z.object({ dashboard: PastResource, linkedVisualIds: z.array(Id) })),
      ...NextAfterId,
    }),
  ),
};
