import { containing, type LimitsOf, type ListSlice, type Slice } from '@gatehouse/service';
import type { Db } from 'mongodb';
import { nameFields, type DefinitionDocument, type DefinitionHead } from '../store/documents.js';
import { ProjectRecordStore, readPart, sizeOf, type Part } from '../store/recordStore.js';

/** Selects the definitions of a list. */
interface DefinitionFilter {
  connectionId?: string | undefined;
  /** A text that the name contains, in any case. */
  search?: string | undefined;
  ids?: readonly string[] | undefined;
}

export class DefinitionStore extends ProjectRecordStore<DefinitionDocument> {
  constructor(database: Db, limitsOf: LimitsOf) {
    super(database, limitsOf, {
      collection: 'definitions',
      quota: 'policy definitions',
      longFields: ['configs'],
    });
  }

  /** The definitions of the project that match all given filters, by name. */
  list(
    projectId: string,
    { connectionId, search, ids }: DefinitionFilter,
    slice: ListSlice,
  ): Promise<Slice<DefinitionDocument>> {
    const condition = {
      ...(connectionId !== undefined && { connectionId }),
      ...(search !== undefined && { nameFolded: containing(nameFields(search).nameFolded) }),
      ...(ids !== undefined && { _id: { $in: ids } }),
    };
    return this.findSlice(projectId, condition, { by: 'nameFolded', ...slice });
  }

  /** The names and sizes of definitions, without their configs, which may be large. */
  listHeads(projectId: string, ids: readonly string[]): Promise<DefinitionHead[]> {
    const projection = { name: 1, quotaBytes: 1 };
    return this.findMany(projectId, { _id: { $in: ids } }, { projection });
  }

  /** The ids of the definitions of a connection. */
  scanIds(projectId: string, connectionId: string): AsyncGenerator<Pick<DefinitionDocument, '_id'>> {
    return this.scanMany(projectId, { connectionId }, { projection: { _id: 1 } });
  }

  /** The first definitions of a connection, by name. */
  listOfConnection(projectId: string, connectionId: string, limit: number): Promise<DefinitionDocument[]> {
    return this.findMany(projectId, { connectionId }, { sort: { nameFolded: 1, _id: 1 }, limit });
  }

  /** As `listOfConnection`, up to a number and a size. */
  readOfConnection(
    projectId: string,
    connectionId: string,
    limit: number,
  ): Promise<Part<DefinitionDocument>> {
    const found = this.scanMany(projectId, { connectionId }, { sort: { nameFolded: 1, _id: 1 } });
    return readPart(found, { limit, bytesOf: ({ configs }) => sizeOf(configs) });
  }

  /** The definitions with these ids, up to a size. */
  readByIds(projectId: string, ids: readonly string[]): Promise<Part<DefinitionDocument>> {
    const found = this.scanMany(projectId, { _id: { $in: [...ids] } });
    return readPart(found, { bytesOf: ({ configs }) => sizeOf(configs) });
  }

  /** Whether the connection has any definition, assigned or not. */
  async hasAnyOf(projectId: string, connectionId: string): Promise<boolean> {
    const found = await this.findOne(projectId, { connectionId }, { _id: 1 });
    return found !== null;
  }
}
