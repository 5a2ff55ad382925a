import type { CommitOnSave } from '@gatehouse/contract';
import { duplicateKeysOf } from '@gatehouse/service';
import type { Collection, Db } from 'mongodb';

/** Whether saving commits, as the settings of a project have it in a version. */
export interface CommitSetting {
  commitOnSave: CommitOnSave;
  version: number;
}

interface CommitSettingDocument extends CommitSetting {
  /** The project's id. */
  _id: string;
}

/** What this service keeps of the version control of projects: the settings themselves are elsewhere. */
export class CommitSettingStore {
  readonly #collection: Collection<CommitSettingDocument>;

  constructor(database: Db) {
    this.#collection = database.collection('commitSettings');
  }

  find(projectId: string): Promise<CommitSetting | null> {
    return this.#collection.findOne({ _id: projectId });
  }

  /** Keeps a setting, unless a later one is kept. */
  async keep(projectId: string, { commitOnSave, version }: CommitSetting): Promise<void> {
    const filter = { _id: projectId, version: { $lt: version } };
    try {
      await this.#collection.updateOne(filter, { $set: { commitOnSave, version } }, { upsert: true });
    } catch (error) {
      // It is there, and no older: so none was found to be changed, and none could be added.
      if (duplicateKeysOf(error) === null) throw error;
    }
  }
}
