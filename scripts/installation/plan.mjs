/** The content of a backup, and the order in which it is read. */

import { processData, SERVICE_NAMES } from '../serviceData.mjs';

/** @typedef {import('@gatehouse/service').ArchivedDatabase} ArchivedDatabase */

export const FORMAT = 'gatehouse backup 1';

/** The databases whose records others refer to, those that are referred to by most last. */
const REFERRED = ['access', 'policy', 'lifecycle', 'semantics', 'directory'];
const databases = SERVICE_NAMES.map((name) => processData(name).database ?? name);
const others = databases.filter((name) => name !== 'audit' && !REFERRED.includes(name));

/** @param {Record<string, any>} resource */
const listShareParts = ({ shareParts }) => Object.keys(shareParts?.list ?? {});

/** @param {{ parts?: { id: string }[] }} group */
const listMemberParts = ({ parts = [] }) => parts.map(({ id }) => id);

/**
 * The collections whose documents list parts. A part that its document lists is in the backup.
 * @type {Readonly<Record<string, ArchivedDatabase['parted']>>}
 */
const PARTED = {
  access: {
    dashboards: { collection: 'dashboardShareParts', listedBy: listShareParts },
    visuals: { collection: 'visualShareParts', listedBy: listShareParts },
  },
  directory: { groups: { collection: 'groupMemberParts', listedBy: listMemberParts } },
};

/**
 * Records that refer to others are read before them, so that their references exist: users and projects last.
 * `events` contains the dead letters of the bus in process.
 * @type {readonly ArchivedDatabase[]}
 */
export const RECORDS = [...others, ...REFERRED, 'events'].map((name) => ({ name, parted: PARTED[name] }));

/**
 * The log is read after the records that it describes; otherwise an event could be missing in both. Heads are
 * read before entries, and entries in their order, so that no entry is missing before an existing one, nor
 * before the head.
 * @type {readonly ArchivedDatabase[]}
 */
export const LOG = [
  { name: 'audit', first: ['auditHeads'], orders: { auditEvents: { organizationId: 1, sequence: 1 } } },
];
