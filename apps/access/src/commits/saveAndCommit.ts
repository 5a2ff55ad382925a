import { AppError, invalidField, type CommitResult, type Dashboard } from '@gatehouse/contract';
import { newKey, type CallContext, type ServiceClients } from '@gatehouse/service';
import type { CommitSettings } from './settings.js';

/** The dependencies of {@link saveAndCommit}. */
export interface CommitDependencies {
  settings: CommitSettings;
  lifecycle: ServiceClients['lifecycle'];
}

interface Saving {
  commitMessage: string | undefined;
  context: CallContext;
}

/** Returns the content that the repository stores. Access to the dashboard is not part of it. */
function contentOf({ id, title, description, tags, isDataApp, template }: Dashboard) {
  return { id, title, description, tags, isDataApp, template };
}

async function commit(
  { lifecycle }: CommitDependencies,
  dashboard: Dashboard,
  { message, context }: { message: string; context: CallContext },
): Promise<CommitResult> {
  const { id: dashboardId, version: dashboardVersion } = dashboard;
  const key = newKey(context.operation, 'commit');
  const content = contentOf(dashboard);
  const request = { dashboardId, dashboardVersion, content, message, key };
  try {
    return await lifecycle.versionControl.commit.mutate(request, { context });
  } catch (err) {
    context.log.warn({ err }, 'a saved dashboard was not committed');
    return { status: 'failed', commitSha: null, commitUrl: null };
  }
}

/**
 * Saves a dashboard and, if there is a message, commits exactly what was saved. Throws
 * COMMIT_MESSAGE_REQUIRED, and saves nothing, if the project requires a message and there is none. Throws
 * COMMIT_FAILED, with the saved dashboard, if the commit failed. Also throws the errors of `save`.
 */
export async function saveAndCommit<D extends Dashboard>(
  dependencies: CommitDependencies,
  { commitMessage: message, context }: Saving,
  save: () => Promise<D>,
): Promise<{ dashboard: D; versionControl?: CommitResult }> {
  if (message === undefined) {
    const commitOnSave = await dependencies.settings.find(context.principal.projectId);
    if (commitOnSave === 'required') throw new AppError('COMMIT_MESSAGE_REQUIRED');
    return { dashboard: await save() };
  }
  // The repository is not a part of the dry run: a commit cannot be checked without being made.
  if (context.validateOnly) throw invalidField('commitMessage', 'does not go with validateOnly', 'conflict');
  const dashboard = await save();
  const versionControl = await commit(dependencies, dashboard, { message, context });
  if (versionControl.status !== 'failed') return { dashboard, versionControl };
  throw new AppError('COMMIT_FAILED', {
    done: { dashboardSaved: true, dashboard, versionControl },
    // This cause replaces the error itself, which would log the dashboard.
    cause: new Error(`Dashboard ${dashboard.id} was saved, but not committed`),
  });
}
