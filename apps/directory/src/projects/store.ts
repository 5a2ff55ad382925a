import type { LimitsOf, ListSlice, Slice } from '@gatehouse/service';
import type { Db } from 'mongodb';
import type { ProjectDocument } from '../records/documents.js';
import { OrganizationRecordStore } from '../records/store/recordStore.js';

export class ProjectStore extends OrganizationRecordStore<ProjectDocument> {
  constructor(database: Db, limitsOf: LimitsOf) {
    super(database, limitsOf, { collection: 'projects', quota: 'projects' });
  }

  async get(organizationId: string, id: string): Promise<ProjectDocument> {
    return this.getByKey(organizationId, id);
  }

  /** A part of the projects of the organization, by name. */
  list(organizationId: string, slice: ListSlice): Promise<Slice<ProjectDocument>> {
    return this.findSlice(organizationId, {}, { by: 'nameFolded', ...slice });
  }

  /**
   * The project of a token request. Its organization is unknown until the secret proves access to the
   * project.
   */
  async findForToken(projectId: string): Promise<ProjectDocument | null> {
    const [found = null] = await this.readUnscoped({ _id: projectId });
    return found;
  }
}
