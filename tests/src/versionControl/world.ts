import type {
  CommitResult,
  Dashboard,
  DashboardVersion,
  DashboardWithSecret,
  VersionControl,
} from '@gatehouse/contract';
import { runGit } from '@gatehouse/testing';
import { join } from 'node:path';
import { succeeded, type Answer, type Api, type Session } from '../api.js';
import type { TestServer } from '../servers.js';

/** What saving a dashboard answers, or the refusal of it. */
export interface Saved {
  dashboard: DashboardWithSecret;
  versionControl?: CommitResult;
  code?: string;
  dashboardSaved?: boolean;
  error?: string;
}

/** A project of its own, whose dashboards are committed, and its repository as the ordinary git sees it. */
export interface VersionedProject {
  projectId: string;
  admin: Session;
  put(body: Record<string, unknown>): Promise<Answer<{ versionControl: VersionControl }>>;
  create(fields?: Record<string, unknown>): Promise<Answer<Saved>>;
  /** A dashboard that is committed with its first save. */
  createCommitted(
    message: string,
    fields?: Record<string, unknown>,
  ): Promise<DashboardWithSecret & { sha: string }>;
  update(id: string, fields: Record<string, unknown>): Promise<Answer<Saved>>;
  versions(id: string, query?: string): Promise<{ versions: DashboardVersion[]; nextCursor: string | null }>;
  dashboard(id: string): Promise<Dashboard>;
  /** Where the service keeps the repository. */
  directory: string;
  git(...args: string[]): Promise<string>;
}

export async function makeVersionedProject(server: TestServer, api: Api): Promise<VersionedProject> {
  const { adminOrgUserId, organizationId } = server.credentials;
  const project = await api.createProject();
  const admin = await api.openSession({ orgUserId: adminOrgUserId }, project);
  const directory = join(server.dataDir, 'repositories', organizationId, `${project.projectId}.git`);
  const create = (fields: Record<string, unknown> = {}): Promise<Answer<Saved>> =>
    admin.post('/dashboards', { title: 'Sales', ...fields });
  return {
    projectId: project.projectId,
    admin,
    directory,
    put: (body) => admin.put('/version-control', body),
    create,
    async createCommitted(message, fields = {}) {
      const saved = succeeded(await create({ commitMessage: message, ...fields }));
      return { ...saved.dashboard, sha: saved.versionControl?.commitSha ?? '' };
    },
    update: (id, fields) => admin.patch(`/dashboards/${id}`, fields),
    versions: async (id, query = '') =>
      succeeded(
        await admin.get<{ versions: DashboardVersion[]; nextCursor: string | null }>(
          `/dashboards/${id}/versions${query}`,
        ),
      ),
    dashboard: async (id) =>
      succeeded(await admin.get<{ dashboard: Dashboard }>(`/dashboards/${id}`)).dashboard,
    git: (...args) => runGit(directory, ...args),
  };
}
