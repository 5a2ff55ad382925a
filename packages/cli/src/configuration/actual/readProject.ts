import type { ActualRecord } from '../model/records.js';
import { Collection } from './collection.js';
import { readAll } from '../../readAll.js';
import { readDirectory } from './readDirectory.js';
import { readPolicies } from './readPolicies.js';
import { readResources } from './readResources.js';
import { readSemantics } from './readSemantics.js';
import type { Session } from './session.js';

/** The records of a project and its organization, in the order of their kinds. */
export interface ActualState {
  records: readonly ActualRecord[];
  /** What could not be read, in sentences. */
  warnings: readonly string[];
}

async function readWebhooks({ client, projectId }: Session, known: Collection): Promise<void> {
  const webhooks = await readAll(client, 'listWebhooks', {});
  // The webhooks of other projects belong to the folders of those.
  const own = webhooks.filter((webhook) => webhook.projectId === null || webhook.projectId === projectId);
  known.add(
    'webhook',
    own.map(({ id, version, createdAt, url, description, eventTypes, isEnabled, ...webhook }) => {
      const onlyThisProject = webhook.projectId !== null;
      return { id, version, createdAt, fields: { url, description, eventTypes, onlyThisProject, isEnabled } };
    }),
  );
}

/** Reads everything that a folder of configuration describes. */
export async function readProject(session: Session): Promise<ActualState> {
  const known = new Collection();
  await readDirectory(session, known);
  await readSemantics(session, known);
  await readResources(session, known);
  await readPolicies(session, known);
  await readWebhooks(session, known);
  return { records: known.records, warnings: known.warnings };
}
