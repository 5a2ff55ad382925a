import { CallBatcher, type LimitsOf, type ListSlice, type Slice } from '@gatehouse/service';
import type { Db, Document } from 'mongodb';
import type { AssignmentDocument, Assigned, ConnectionRef, DefinitionDocument } from '../store/documents.js';
import { tooManyPolicies } from '../limits/logic/byteBudget.js';
import { ProjectRecordStore, readPart, sizeOf, type Part } from '../store/recordStore.js';

type AssignmentId = Pick<AssignmentDocument, '_id' | 'projectId'>;
const ID = { _id: 1, projectId: 1 } as const;

type OfDefinition = Pick<AssignmentDocument, 'projectId' | 'definitionId'>;

/** Which assignments a list contains. */
export type AssignmentFilter = Partial<
  Pick<AssignmentDocument, 'definitionId' | 'connectionId' | 'scopeType' | 'actorKey'>
>;

/** An assignment, with its definition if it is the first of those that were read of it. */
type Joined = AssignmentDocument & { number: number; joinedId: string; definitions: DefinitionDocument[] };

export class AssignmentStore extends ProjectRecordStore<AssignmentDocument> {
  readonly #assigned = new CallBatcher(
    ({ projectId, connectionId }: ConnectionRef) => JSON.stringify([projectId, connectionId]),
    (target, keys: string[]) => this.#readAssigned(target, [...new Set(keys)]),
  );
  readonly #counts = new CallBatcher(
    ({ projectId, definitionId }: OfDefinition) => JSON.stringify([projectId, definitionId]),
    ({ projectId, definitionId }) => this.countMatching(projectId, { definitionId }),
  );

  constructor(database: Db, limitsOf: LimitsOf) {
    super(database, limitsOf, {
      collection: 'assignments',
      quota: 'policy assignments',
      longFields: ['params'],
    });
  }

  /** The assignments of the project that meet a condition, oldest first. */
  list(
    projectId: string,
    { definitionId, connectionId, scopeType, actorKey }: AssignmentFilter,
    slice: ListSlice,
  ): Promise<Slice<AssignmentDocument>> {
    const condition = {
      ...(definitionId !== undefined && { definitionId }),
      ...(connectionId !== undefined && { connectionId }),
      ...(scopeType !== undefined && { scopeType }),
      ...(actorKey !== undefined && { actorKey }),
    };
    return this.findSlice(projectId, condition, { by: 'createdAt', ...slice });
  }

  /** The ids of the definitions that are assigned in this way. */
  async listDefinitionIds(
    projectId: string,
    { scopeType, actorKey }: Pick<AssignmentFilter, 'scopeType' | 'actorKey'>,
  ): Promise<string[]> {
    const condition = {
      ...(scopeType !== undefined && { scopeType }),
      ...(actorKey !== undefined && { actorKey }),
    };
    const stages = [{ $group: { _id: '$definitionId' } }];
    const found = await this.aggregate<{ _id: string }>(projectId, condition, { stages });
    return found.map(({ _id }) => _id);
  }

  /**
   * The assignments of a connection to any of the actor keys, oldest first, each with its definition. Callers
   * of one connection share a query; if they request more than one of them may, each reads for itself.
   * @throws {TooLarge} if there are more bytes of them than are read for one request
   */
  async listAssigned(target: ConnectionRef, actorKeys: readonly string[]): Promise<Assigned[]> {
    const wanted = new Set(actorKeys);
    const shared = await this.#assigned.load(target, actorKeys);
    const found = shared ?? (await this.#readAssigned(target, [...wanted]));
    if (found === null) throw tooManyPolicies();
    return found
      .filter(({ assignment }) => wanted.has(assignment.actorKey))
      .toSorted((a, b) => compareAges(a.assignment, b.assignment));
  }

  /**
   * Null if they are too large. The definition comes with one of its assignments only: several copies of it
   * may be very large.
   */
  async #readAssigned(
    { projectId, connectionId }: ConnectionRef,
    actorKeys: string[],
  ): Promise<Assigned[] | null> {
    const numbered = {
      partitionBy: '$definitionId',
      sortBy: { _id: 1 },
      output: { number: { $documentNumber: {} } },
    };
    // No definition has the empty id.
    const joinedId = { $cond: [{ $eq: ['$number', 1] }, '$definitionId', ''] };
    const joined = {
      from: 'definitions',
      localField: 'joinedId',
      foreignField: '_id',
      pipeline: [{ $match: { projectId } }],
      as: 'definitions',
    };
    const condition = { connectionId, actorKey: { $in: actorKeys } };
    const stages = [{ $setWindowFields: numbered }, { $set: { joinedId } }, { $lookup: joined }];
    const scanned = this.scanStages<Joined>(projectId, condition, stages);
    const { records: found, isWhole } = await readPart(scanned, { bytesOf: sizeOfJoined });
    if (!isWhole) return null;
    const known = new Map<string, DefinitionDocument>();
    for (const { definitions } of found)
      for (const each of definitions) if (each.deletedAt === undefined) known.set(each._id, each);
    return found.map(
      ({ number: _number, joinedId: _joinedId, definitions: _definitions, ...assignment }) => ({
        assignment,
        definition: known.get(assignment.definitionId) ?? null,
      }),
    );
  }

  /** The ids of the assignments of a definition or of a connection. */
  scanIds(
    projectId: string,
    of: Pick<AssignmentDocument, 'definitionId'> | Pick<AssignmentDocument, 'connectionId'>,
  ): AsyncGenerator<AssignmentId> {
    return this.scanMany(projectId, of, { projection: ID });
  }

  /** The assignments to an actor, in every project of the organization. */
  scanOfActor(organizationId: string, actorKey: string): AsyncGenerator<AssignmentDocument> {
    return this.scanInOrganization(organizationId, { actorKey });
  }

  /** The assignments of a connection, oldest first, up to a number and a size. */
  readOfConnection(
    projectId: string,
    connectionId: string,
    limit: number,
  ): Promise<Part<AssignmentDocument>> {
    const found = this.scanMany(projectId, { connectionId }, { sort: BY_AGE });
    return readPart(found, { limit, bytesOf: sizeOfAssignment });
  }

  /**
   * The assignments of a connection to any of the actor keys, oldest first, up to a size. Without a join: a
   * dry run also reads those that it has written.
   */
  readOfActors(
    { projectId, connectionId }: ConnectionRef,
    actorKeys: readonly string[],
  ): Promise<Part<AssignmentDocument>> {
    const condition = { connectionId, actorKey: { $in: [...new Set(actorKeys)] } };
    return readPart(this.scanMany(projectId, condition, { sort: BY_AGE }), { bytesOf: sizeOfAssignment });
  }

  /** The assignments of a definition, the oldest first. */
  listOfDefinition(projectId: string, definitionId: string, limit: number): Promise<AssignmentDocument[]> {
    return this.findMany(projectId, { definitionId }, { sort: BY_AGE, limit });
  }

  /** The actors of the assignments of a definition, the oldest first. */
  async listActorKeys(projectId: string, definitionId: string, limit: number): Promise<string[]> {
    const read = { projection: { actorKey: 1 }, sort: BY_AGE, limit };
    return (await this.findMany(projectId, { definitionId }, read)).map(({ actorKey }) => actorKey);
  }

  /** The assignment of a definition to an actor, if there is one. */
  findOfActor(projectId: string, definitionId: string, actorKey: string): Promise<AssignmentDocument | null> {
    return this.findOne(projectId, { definitionId, actorKey });
  }

  /** The actors that have an assignment on a connection, in the order of their keys. */
  async listActors(
    projectId: string,
    connectionId: string,
    { afterKey, limit }: { afterKey: string | undefined; limit: number },
  ): Promise<Pick<AssignmentDocument, 'scopeType' | 'actorId' | 'actorKey'>[]> {
    const first = (field: string): Document => ({ $first: `$${field}` });
    const actors = await this.aggregate<{
      _id: string;
      scopeType: AssignmentDocument['scopeType'];
      actorId: string | null;
    }>(
      projectId,
      { connectionId, ...(afterKey !== undefined && { actorKey: { $gt: afterKey } }) },
      {
        stages: [
          { $group: { _id: '$actorKey', scopeType: first('scopeType'), actorId: first('actorId') } },
          { $sort: { _id: 1 } },
          { $limit: limit },
        ],
      },
    );
    return actors.map(({ _id: actorKey, scopeType, actorId }) => ({ scopeType, actorId, actorKey }));
  }

  /**
   * The number of assignments of these definitions; those without any are left out. Tombstones have no
   * definition id, so the index alone answers, here and in `countOfDefinition`, and no document is read.
   */
  async countByDefinition(projectId: string, definitionIds: readonly string[]): Promise<Map<string, number>> {
    const counts = await this.aggregate<{ _id: string; count: number }>(
      projectId,
      { definitionId: { $in: definitionIds } },
      {
        stages: [{ $group: { _id: '$definitionId', count: { $sum: 1 } } }],
        hint: 'byDefinition',
        excludesTombstones: true,
      },
    );
    return new Map(counts.map(({ _id, count }) => [_id, count]));
  }

  countOfDefinition(projectId: string, definitionId: string): Promise<number> {
    return this.#counts.load({ projectId, definitionId }, []);
  }
}

const BY_AGE = { createdAt: 1, _id: 1 } as const;

const sizeOfAssignment = ({ params }: AssignmentDocument) => sizeOf(params);

function sizeOfJoined({ params, definitions }: Joined): number {
  return definitions.reduce((sum, { configs }) => sum + sizeOf(configs), sizeOf(params));
}

/** The lists are short: sorting them here is faster than in the engine. */
function compareAges(a: AssignmentDocument, b: AssignmentDocument): number {
  return a.createdAt.getTime() - b.createdAt.getTime() || (a._id < b._id ? -1 : 1);
}
