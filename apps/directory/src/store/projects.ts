import type { Db } from 'mongodb';
import type { ProjectDocument } from './documents.js';
import { orNotFound, RecordStore } from './recordStore.js';

export class ProjectStore extends RecordStore<ProjectDocument> {
  constructor(database: Db) {
    super(database, 'projects');
  }

  async get(organizationId: string, id: string): Promise<ProjectDocument> {
    return orNotFound(await this.findByKey(organizationId, id));
  }

  /** All projects of the organization, by name. */
  list(organizationId: string): Promise<ProjectDocument[]> {
    return this.listLive(organizationId, {}, { nameFolded: 1, _id: 1 });
  }

  /** The project that a token is asked for. Its organization is not known before: the secret has to prove the right to it. */
  findForToken(projectId: string): Promise<ProjectDocument | null> {
    return this.collection.findOne({ _id: projectId, nameFolded: { $gte: '' } });
  }
}
