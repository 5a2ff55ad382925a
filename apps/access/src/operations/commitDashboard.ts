import { AppError, type CommitResult, type Dashboard } from '@gatehouse/contract';
import { newKey, type CallContext, type ServiceClients } from '@gatehouse/service';
import type { CommitSettings } from './commitSettings.js';

export interface Committing {
  settings: CommitSettings;
  lifecycle: ServiceClients['lifecycle'];
}

interface Saving {
  commitMessage: string | undefined;
  context: CallContext;
}

/** What the repository gets of a dashboard; who may see it is no part of its content. */
function contentOf({ id, title, description, tags, isDataApp, template }: Dashboard) {
  return { id, title, description, tags, isDataApp, template };
}

async function commit(
  { lifecycle }: Committing,
  dashboard: Dashboard,
  { message, context }: { message: string; context: CallContext },
): Promise<CommitResult> {
  const { id: dashboardId, version: dashboardVersion } = dashboard;
  const key = newKey(context.operation, 'commit');
  const content = contentOf(dashboard);
  const request = { dashboardId, dashboardVersion, content, message, key };
  try {
    return await lifecycle.versionControl.commit(context, request);
  } catch (err) {
    context.log.warn({ err }, 'a saved dashboard was not committed');
    return { status: 'failed', commitSha: null, commitUrl: null };
  }
}

/**
 * Saves a dashboard, and commits exactly what was saved when a message is given. Throws COMMIT_MESSAGE_REQUIRED, and saves
 * nothing, where the project wants a message and there is none; COMMIT_FAILED, with the dashboard as it was saved, when
 * it could not be committed; and whatever `save` throws.
 */
export async function saveAndCommit<D extends Dashboard>(
  committing: Committing,
  { commitMessage: message, context }: Saving,
  save: () => Promise<D>,
): Promise<{ dashboard: D; versionControl?: CommitResult }> {
  if (message === undefined) {
    const commitOnSave = await committing.settings.find(context.principal.projectId);
    if (commitOnSave === 'required') throw new AppError('COMMIT_MESSAGE_REQUIRED');
    return { dashboard: await save() };
  }
  const dashboard = await save();
  const versionControl = await commit(committing, dashboard, { message, context });
  if (versionControl.status !== 'failed') return { dashboard, versionControl };
  throw new AppError('COMMIT_FAILED', {
    done: { dashboardSaved: true, dashboard, versionControl },
    // In place of the error itself, which would put the dashboard into the log.
    cause: new Error(`Dashboard ${dashboard.id} was saved, but not committed`),
  });
}
