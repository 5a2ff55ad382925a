import type { LimitsOf, ListSlice, Slice } from '@gatehouse/service';
import type { Db } from 'mongodb';
import type { DefinitionDocument } from '../store/documents.js';
import { ProjectRecordStore } from '../store/recordStore.js';

export class DefinitionStore extends ProjectRecordStore<DefinitionDocument> {
  constructor(database: Db, limitsOf: LimitsOf) {
    super(database, limitsOf, {
      collection: 'definitions',
      quota: 'policy definitions',
      longFields: ['configs'],
    });
  }

  /** The definitions of the project by name: all, those of a connection, those with one of the ids. */
  list(
    projectId: string,
    { connectionId, ids }: { connectionId?: string | undefined; ids?: readonly string[] | undefined },
    slice: ListSlice,
  ): Promise<Slice<DefinitionDocument>> {
    const condition = {
      ...(connectionId !== undefined && { connectionId }),
      ...(ids !== undefined && { _id: { $in: ids } }),
    };
    return this.findSlice(projectId, condition, { by: 'nameFolded', ...slice });
  }

  /** The definitions of a connection, by name. */
  listOfConnection(projectId: string, connectionId: string, limit = 0): Promise<DefinitionDocument[]> {
    return this.findMany(projectId, { connectionId }, { sort: { nameFolded: 1, _id: 1 }, limit });
  }

  /** Whether the connection has any definition, assigned or not. */
  async hasAnyOf(projectId: string, connectionId: string): Promise<boolean> {
    const found = await this.findOne(projectId, { connectionId }, { _id: 1 });
    return found !== null;
  }
}
