import type { CommitOnSave } from '@gatehouse/contract';
import { duplicateKeysOf, ScopedCollection } from '@gatehouse/service';
import type { Db } from 'mongodb';

/** Whether saving commits, in one version of a project's settings. */
export interface CommitSetting {
  commitOnSave: CommitOnSave;
  version: number;
}

interface CommitSettingDocument extends CommitSetting {
  /** The project's id. */
  _id: string;
}

/** Stores this service's copy of one version control setting. The lifecycle service owns the settings. */
export class CommitSettingStore {
  readonly #settings: ScopedCollection<CommitSettingDocument>;

  constructor(database: Db) {
    this.#settings = new ScopedCollection(database, { collection: 'commitSettings', scope: '_id' });
  }

  find(projectId: string): Promise<CommitSetting | null> {
    return this.#settings.findOne(projectId, {});
  }

  /** Stores a setting, unless a later version is stored. */
  async keep(projectId: string, { commitOnSave, version }: CommitSetting): Promise<void> {
    const change = { update: { $set: { commitOnSave, version } }, upsert: true };
    try {
      await this.#settings.updateOne(projectId, { version: { $lt: version } }, change);
    } catch (error) {
      // The stored version is not older: the filter matched nothing, and the upsert conflicted with it.
      if (duplicateKeysOf(error) === null) throw error;
    }
  }
}
