import { z } from 'zod';
import { AuditEvent, AuditHead, AuditOutcome } from '../../records/audit.js';
import { Id, SortOrder, text, Timestamp } from '../../vocabulary.js';
import { query } from '../procedure.js';

const TYPE_PATTERN = /^management\.([a-z0-9_]{1,64}|\*)\.([a-z0-9_]{1,64}|\*)(\.(v[0-9]{1,4}|\*))?$/;

/** The filters of entries; an entry must match all of them. */
const filter = {
  projectId: Id.optional(),
  actorId: Id.optional(),
  /** An event type; `*` stands for any noun, verb or version, and without a version any is meant. */
  type: z.string().regex(TYPE_PATTERN, 'must be a type such as management.dashboard.*').optional(),
  resourceType: z
    .string()
    .regex(/^[a-z0-9_]{1,64}$/, 'must be a noun such as dashboard_share')
    .optional(),
  resourceId: text(1, 100).optional(),
  outcome: AuditOutcome.optional(),
  requestId: text(1, 100).optional(),
  tokenId: text(1, 100).optional(),
  /** The earliest time of the event, inclusive. */
  from: Timestamp.optional(),
  /** The end of the time range, exclusive. */
  to: Timestamp.optional(),
};

/** The record of completed and rejected requests. */
export const events = {
  list: query(
    z.strictObject({
      ...filter,
      /** By the time of the event. */
      order: SortOrder.default('desc'),
      limit: z.number().int().min(1).max(500).default(100),
      cursor: text(1, 200).optional(),
    }),
    z.object({ auditEvents: z.array(AuditEvent), nextCursor: z.string().nullable() }),
  ),
  /** In the order of the log, up to its end when the first page was requested. */
  export: query(
    z.strictObject({ ...filter, cursor: text(1, 1000).optional() }),
    z.object({
      auditEvents: z.array(AuditEvent),
      organizationId: Id,
      /** Whether it contains every entry of the log: nothing was filtered. */
      isWhole: z.boolean(),
      /** Null until an entry is recorded. */
      head: AuditHead.nullable(),
      total: z.number().int(),
      nextCursor: z.string().nullable(),
    }),
  ),
};
