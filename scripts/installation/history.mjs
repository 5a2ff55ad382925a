/** The facts about the past that a backup contains, although its records do not have their changes. */

/** @typedef {import('@gatehouse/service').Databases} Databases */
/** @typedef {ReturnType<Databases['of']>} Database */

/** The facts of each kind, and the collections of the records that they are about. */
const KINDS = [
  { name: 'historyResources', database: 'access', collections: ['dashboards', 'visuals'] },
  { name: 'historyUsers', database: 'directory', collections: ['orgUsers', 'tenantUsers'] },
  { name: 'historyGroups', database: 'directory', collections: ['groups'] },
];

const RECORDS_AT_ONCE = 500;

/**
 * A record by its facts: the position of the last one, and whether one is of its deletion.
 * @typedef {{ organizationId: string, record: string, last: string, isDeleted: boolean }} Known
 */

/**
 * Reads the facts of one kind as records, a few at a time.
 * @param {Database} audit
 * @param {string} name
 * @returns {AsyncGenerator<Known[]>}
 */
async function* readKnown(audit, name) {
  const projection = { organizationId: 1, record: 1, sequence: 1, 'change.kind': 1 };
  const facts = audit
    .collection(name)
    .find({}, { projection, sort: { organizationId: 1, record: 1, sequence: 1 } });
  /** @type {Known[]} */
  const batch = [];
  for await (const { organizationId, record, sequence: last, change } of facts) {
    const isDeleted = change.kind === 'deleted';
    const former = batch.at(-1);
    if (former !== undefined && former.record === record && former.organizationId === organizationId) {
      Object.assign(former, { last, isDeleted: former.isDeleted || isDeleted });
      continue;
    }
    if (batch.length >= RECORDS_AT_ONCE) yield batch.splice(0);
    batch.push({ organizationId, record, last, isDeleted });
  }
  yield batch;
}

/**
 * The numbers of events of the records that exist, by id.
 * @param {Database} database
 * @param {{ collections: string[], ids: string[] }} wanted
 */
async function readEventCounts(database, { collections, ids }) {
  const filter = { _id: { $in: /** @type {any[]} */ (ids) } };
  const projection = { eventCount: 1 };
  const found = await Promise.all(
    collections.map((name) => database.collection(name).find(filter, { projection }).toArray()),
  );
  return new Map(
    found.flat().map(({ _id, eventCount = Infinity }) => [String(_id), /** @type {number} */ (eventCount)]),
  );
}

/**
 * Deletes the facts of changes that the restored records do not have. A backup reads them after the records.
 * Left in place, they would describe access that does not exist, and have the positions of later changes.
 *
 * @param {Databases} databases after a restore, before the platform runs on them
 */
export async function dropLaterFacts(databases) {
  const audit = databases.of('audit');
  for (const { name, database, collections } of KINDS) {
    for await (const batch of readKnown(audit, name)) {
      const ids = batch.map(({ record }) => record);
      const counts = await readEventCounts(databases.of(database), { collections, ids });
      const later = batch.flatMap(({ organizationId, record, last, isDeleted }) => {
        // A record that is missing was deleted before the backup, or created during it.
        const count = counts.get(record) ?? (isDeleted ? Infinity : 0);
        const after = String(count).padStart(last.length, '0');
        return Number(last) > count ? [{ organizationId, record, sequence: { $gt: after } }] : [];
      });
      for (const filter of later) await audit.collection(name).deleteMany(filter);
    }
  }
}
