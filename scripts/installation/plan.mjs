/** What a backup holds, and in which order it is read. */

/** @typedef {import('@gatehouse/service').ArchivedDatabase} ArchivedDatabase */

export const FORMAT = 'gatehouse backup 1';

/**
 * What refers to others is read before them, so that what it refers to is there: people and projects last. `events` has the dead
 * letters of the bus in process.
 * @type {readonly ArchivedDatabase[]}
 */
export const RECORDS = ['access', 'policy', 'lifecycle', 'semantics', 'directory', 'events'].map((name) => ({
  name,
}));

/**
 * The log is read after what it tells of, or an event could be missing in both. Heads before entries, and entries in their
 * order, so that no entry is missing before one that is there, nor before the head.
 * @type {readonly ArchivedDatabase[]}
 */
export const LOG = [
  { name: 'audit', first: ['auditHeads'], orders: { auditEvents: { organizationId: 1, sequence: 1 } } },
];
