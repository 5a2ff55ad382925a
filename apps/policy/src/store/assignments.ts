import type { Db, Document } from 'mongodb';
import type { AssignmentDocument } from './documents.js';
import { RecordStore } from './recordStore.js';

export class AssignmentStore extends RecordStore<AssignmentDocument> {
  constructor(database: Db) {
    super(database, 'assignments');
  }

  /** All assignments of the project, oldest first. */
  list(projectId: string): Promise<AssignmentDocument[]> {
    return this.listLive({ projectId }, { sort: { createdAt: 1, _id: 1 } });
  }

  /** What may apply to an actor on a connection: the assignments to any of the keys, oldest first. */
  listCandidates(
    projectId: string,
    connectionId: string,
    actorKeys: readonly string[],
  ): Promise<AssignmentDocument[]> {
    const condition = { projectId, connectionId, actorKey: { $in: actorKeys } };
    return this.listLive(condition, { sort: { createdAt: 1, _id: 1 } });
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

  /** How many assignments each definition of the project has; definitions without any are left out. */
  async countByDefinition(projectId: string): Promise<Map<string, number>> {
    const counts = await this.collection
      .aggregate<{ _id: string; count: number }>([
        { $match: this.filterOf({ projectId }) },
        { $group: { _id: '$definitionId', count: { $sum: 1 } } },
      ])
      .toArray();
    return new Map(counts.map(({ _id, count }) => [_id, count]));
  }

  countOfDefinition(projectId: string, definitionId: string): Promise<number> {
    return this.collection.countDocuments(this.filterOf({ projectId, definitionId }));
  }
}
