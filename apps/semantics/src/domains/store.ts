import type { SemanticDomainAccess } from '@gatehouse/contract';
import { orNotFound, type LimitsOf } from '@gatehouse/service';
import type { Db, Document, IndexDescription } from 'mongodb';
import { RECORD_INDEXES, ProjectRecordStore, type RecordDocument } from '../records/store.js';

export interface DomainDocument extends RecordDocument {
  label: string;
  description: string;
  /** JSON text of a ModelTemplate. Reads leave it out unless they are named for it: it may be long. */
  template?: string;
  /** The connections that the template's datasets name. */
  connectionIds: string[];
}
/** A domain read with its template. */
export type WholeDomain = DomainDocument & { template: string };

export const DOMAIN_INDEXES: readonly IndexDescription[] = [
  ...RECORD_INDEXES,
  { name: 'byConnection', key: { projectId: 1, connectionIds: 1 } },
];

/** The condition of the domains that a token may see, which `seesDomain` decides on each. */
function conditionOf(access: SemanticDomainAccess | undefined): Document {
  if (access === undefined || access.mode === 'all') return {};
  if (access.mode === 'none') return { _id: { $in: [] } };
  const { mode, domains } = access;
  return mode === 'include' ? entryCondition(domains) : { $nor: [entryCondition(domains)] };
}

/** Entries are names or ids. */
const entryCondition = (entries: readonly string[]): Document => ({
  $or: [{ _id: { $in: entries } }, { name: { $in: entries } }],
});

export class DomainStore extends ProjectRecordStore<DomainDocument> {
  constructor(database: Db, limitsOf: LimitsOf) {
    super(database, limitsOf, {
      collection: 'domains',
      quota: 'domains',
      longFields: ['template'],
      omitted: ['template'],
    });
  }

  /** Throws NOT_FOUND. */
  async getWhole(projectId: string, id: string): Promise<WholeDomain> {
    return orNotFound(await this.findOne(projectId, { _id: id }, { outbox: 0 })) as WholeDomain;
  }

  /** The domains of the project that the access includes, with their templates, by name. */
  scanWhole(projectId: string, access?: SemanticDomainAccess): AsyncGenerator<WholeDomain> {
    return this.#scanWhole(projectId, conditionOf(access));
  }

  /** The domains with these ids with their templates, by name. */
  scanWholeByIds(projectId: string, ids: readonly string[]): AsyncGenerator<WholeDomain> {
    return this.#scanWhole(projectId, { _id: { $in: ids } });
  }

  #scanWhole(projectId: string, condition: Document): AsyncGenerator<WholeDomain> {
    return this.scanByName(projectId, condition, { outbox: 0 }) as AsyncGenerator<WholeDomain>;
  }

  /** The domains that have one of the entries as their name or id. */
  listNamed(projectId: string, entries: readonly string[]): Promise<DomainDocument[]> {
    return this.listByName(projectId, entryCondition(entries));
  }

  /** Up to `limit` domains whose datasets name a connection. */
  async listByConnection(projectId: string, connectionId: string, limit: number): Promise<DomainDocument[]> {
    return this.findMany(projectId, { connectionIds: connectionId }, { limit });
  }
}
