import { runCli, type CommandResult } from '../cliCalls.js';
import { createApi, openSession, succeeded, type Api, type Project, type Session } from '../api.js';
import type { Admins } from './records.js';
import type { BuiltOrganization, BuiltResource, BuiltUser } from '../organizations/build.js';

type Variables = Readonly<Record<string, string>>;

/** Runs a command as the ADMIN of an organization in one of its projects. */
export async function runIn(
  api: Api & { adminId: string },
  project: Project,
  words: string[],
  variables: Variables = {},
): Promise<CommandResult> {
  return runCli(words, {
    environment: {
      url: api.baseUrl,
      projectId: project.projectId,
      projectSecret: project.projectSecret,
      orgUserId: api.adminId,
      variable: (name) => variables[name],
    },
  });
}

export type OrganizationApi = Api & { adminId: string };

/** The operations of tests in an organization, with the id of its ADMIN. */
export async function openOrganization(
  credentials: Parameters<typeof createApi>[0],
): Promise<OrganizationApi> {
  return { ...(await createApi(credentials)), adminId: credentials.adminOrgUserId };
}

interface Listed {
  id: string;
  title: string;
  email: string;
  isActive: boolean;
}

async function list(session: Session, path: string, field: string): Promise<Listed[]> {
  return succeeded(await session.get<Record<string, Listed[]>>(path))[field] ?? [];
}

/** The users of an organization in another one, with sessions there, by the names of the plan. */
async function findUsers(
  source: { api: Api; built: BuiltOrganization },
  target: Api,
  projects: Record<string, Project>,
): Promise<Record<string, BuiltUser>> {
  const users = async (api: Api) => [
    ...(await list(api.admin, '/org-users?limit=1000', 'users')),
    ...(await list(api.admin, '/tenant-users?limit=1000', 'users')),
  ];
  const [before, after] = [await users(source.api), await users(target)];
  const found = Object.entries(source.built.users).map(async ([name, { id, tenant, sessions }]) => {
    const email = before.find((user) => user.id === id)?.email;
    const copy = after.find((user) => user.email === email);
    if (!copy) throw new Error(`${name} was not copied`);
    const identity = tenant === null ? { orgUserId: copy.id } : { endUserId: copy.id };
    const opened = Object.keys(sessions).map(async (project) => {
      const { projectId = '', projectSecret = '' } = projects[project] ?? {};
      const where = { projectId, projectSecret };
      // A deactivated user gets no token: one that is invalid is refused as well.
      const session = copy.isActive
        ? await target.openSession(identity, where)
        : openSession(target.baseUrl, 'none');
      return [project, session] as const;
    });
    return [name, { id: copy.id, tenant, sessions: Object.fromEntries(await Promise.all(opened)) }] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

/** The copy of an organization, found by the e-mail addresses and the titles. */
export async function findCopy(
  source: { api: Api; built: BuiltOrganization },
  target: Api,
  admins: Admins,
  projects: Record<string, Project>,
): Promise<BuiltOrganization> {
  const { built } = source;
  const resources: Record<string, BuiltResource> = {};
  for (const [project, { session }] of Object.entries(admins))
    for (const type of ['dashboard', 'visual'] as const)
      for (const { id, title } of await list(session, `/${type}s?scope=organization&limit=500`, `${type}s`))
        resources[title.replace(`${built.tag} `, '')] = { id, type, project };
  return { ...built, resources, users: await findUsers(source, target, projects) };
}
