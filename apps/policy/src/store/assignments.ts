import { SharedCalls } from '@gatehouse/service';
import type { Db, Document } from 'mongodb';
import type { AssignmentDocument, DefinitionDocument } from './documents.js';
import { RecordStore } from './recordStore.js';

/** Where policies are asked about. */
export type Ground = Pick<AssignmentDocument, 'projectId' | 'connectionId'>;
type OfDefinition = Pick<AssignmentDocument, 'projectId' | 'definitionId'>;

/** An assignment and what it assigns; null when that is gone. */
export interface Assigned {
  assignment: AssignmentDocument;
  definition: DefinitionDocument | null;
}

export class AssignmentStore extends RecordStore<AssignmentDocument> {
  readonly #candidates = new SharedCalls(
    ({ projectId, connectionId }: Ground) => JSON.stringify([projectId, connectionId]),
    (ground, keys: string[]) => this.listLive({ ...ground, actorKey: { $in: [...new Set(keys)] } }),
  );
  readonly #assigned = new SharedCalls(
    ({ projectId, connectionId }: Ground) => JSON.stringify([projectId, connectionId]),
    (ground, keys: string[]) => this.#readAssigned(ground, [...new Set(keys)]),
  );
  readonly #counts = new SharedCalls(
    ({ projectId, definitionId }: OfDefinition) => JSON.stringify([projectId, definitionId]),
    (assigned) => this.collection.countDocuments(assigned),
  );

  constructor(database: Db) {
    super(database, 'assignments');
  }

  /** All assignments of the project, oldest first. */
  list(projectId: string): Promise<AssignmentDocument[]> {
    return this.listLive({ projectId }, { sort: { createdAt: 1, _id: 1 } });
  }

  /** What may apply to an actor on a connection: the assignments to any of the keys, oldest first. */
  async listCandidates(
    projectId: string,
    connectionId: string,
    actorKeys: readonly string[],
  ): Promise<AssignmentDocument[]> {
    const wanted = new Set(actorKeys);
    const found = await this.#candidates.make({ projectId, connectionId }, actorKeys);
    return found.filter(({ actorKey }) => wanted.has(actorKey)).toSorted(compareAges);
  }

  /** As `listCandidates`, each with its definition: one question to the engine, and not two that wait for each other. */
  async listAssigned({ projectId, connectionId }: Ground, actorKeys: readonly string[]): Promise<Assigned[]> {
    const wanted = new Set(actorKeys);
    const found = await this.#assigned.make({ projectId, connectionId }, actorKeys);
    return found
      .filter(({ assignment }) => wanted.has(assignment.actorKey))
      .toSorted((a, b) => compareAges(a.assignment, b.assignment));
  }

  async #readAssigned({ projectId, connectionId }: Ground, actorKeys: string[]): Promise<Assigned[]> {
    const joined = {
      from: 'definitions',
      localField: 'definitionId',
      foreignField: '_id',
      as: 'definitions',
    };
    const stages = [
      { $match: this.filterOf({ projectId, connectionId, actorKey: { $in: actorKeys } }) },
      { $lookup: joined },
    ];
    const found = await this.collection
      .aggregate<AssignmentDocument & { definitions: DefinitionDocument[] }>(stages)
      .toArray();
    return found.map(({ definitions: [definition], ...assignment }) => {
      const isThere = definition?.projectId === projectId && definition.deletedAt === undefined;
      return { assignment, definition: isThere ? definition : null };
    });
  }

  /** Every assignment of a connection, oldest first. */
  listOfConnection(projectId: string, connectionId: string): Promise<AssignmentDocument[]> {
    return this.listLive({ projectId, connectionId }, { sort: { createdAt: 1, _id: 1 } });
  }

  listOfDefinition(projectId: string, definitionId: string, limit = 0): Promise<AssignmentDocument[]> {
    return this.listLive({ projectId, definitionId }, { sort: { createdAt: 1, _id: 1 }, limit });
  }

  /** The assignment of a definition to an actor, if there is one. */
  findOfActor(projectId: string, definitionId: string, actorKey: string): Promise<AssignmentDocument | null> {
    return this.findLive({ projectId, definitionId, actorKey });
  }

  /** The assignments to an actor, in every project of the organization. */
  listOfActor(organizationId: string, actorKey: string): Promise<AssignmentDocument[]> {
    return this.listLive({ organizationId, actorKey });
  }

  /** The actors that have an assignment on a connection, at most `limit` of them, in the order of their keys. */
  async listActors(
    projectId: string,
    connectionId: string,
    limit: number,
  ): Promise<Pick<AssignmentDocument, 'scopeType' | 'actorId' | 'actorKey'>[]> {
    const first = (field: string): Document => ({ $first: `$${field}` });
    const actors = await this.collection
      .aggregate<{ _id: string; scopeType: AssignmentDocument['scopeType']; actorId: string | null }>([
        { $match: this.filterOf({ projectId, connectionId }) },
        { $group: { _id: '$actorKey', scopeType: first('scopeType'), actorId: first('actorId') } },
        { $sort: { _id: 1 } },
        { $limit: limit },
      ])
      .toArray();
    return actors.map(({ _id: actorKey, scopeType, actorId }) => ({ scopeType, actorId, actorKey }));
  }

  /**
   * How many assignments each definition of the project has; definitions without any are left out. Tombstones name no
   * definition, so the index alone tells, here and in `countOfDefinition`: no document is read.
   */
  async countByDefinition(projectId: string): Promise<Map<string, number>> {
    const stages = [
      { $match: { projectId, definitionId: { $gte: '' } } },
      { $group: { _id: '$definitionId', count: { $sum: 1 } } },
    ];
    const counts = await this.collection
      .aggregate<{ _id: string; count: number }>(stages, { hint: 'byDefinition' })
      .toArray();
    return new Map(counts.map(({ _id, count }) => [_id, count]));
  }

  countOfDefinition(projectId: string, definitionId: string): Promise<number> {
    return this.#counts.make({ projectId, definitionId }, []);
  }
}

/** Few documents are sorted faster here than by the engine. */
function compareAges(a: AssignmentDocument, b: AssignmentDocument): number {
  return a.createdAt.getTime() - b.createdAt.getTime() || (a._id < b._id ? -1 : 1);
}
