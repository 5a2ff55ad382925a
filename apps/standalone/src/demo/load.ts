import { createClient, GatehouseError, type Client } from '@gatehouse/client';
import type { Credentials } from '../credentials.js';
import type { DemoServers } from './demoServers.js';
import { loadPeople, type FindId } from './loadPeople.js';
import { loadPolicies, loadPolicyTests, movePolicies } from './loadPolicies.js';
import { loadResources } from './loadResources.js';
import { findConnection, loadSemantics, moveConnection } from './loadSemantics.js';
import { loadWebhook, moveWebhook } from './loadWebhook.js';
import { stagingName } from './organization.js';
import { demoProduction } from './production.js';
import type { DemoSettings } from './settings.js';
import type { DemoProject } from './shape.js';
import { demoStaging } from './staging.js';

export interface LoadParts {
  baseUrl: string;
  credentials: Credentials;
  settings: DemoSettings;
  servers: Pick<DemoServers, 'ready' | 'renameColumn'>;
  /** Stores the credentials of the second project. */
  saveStaging(staging: Project): Promise<void>;
}

/** A project and its secret. */
export type Project = NonNullable<DemoSettings['staging']>;

/** Signs users in to a project. */
interface SignIn {
  admin: Client;
  as(user: { orgUserId: string } | { endUserId: string }): Promise<Client>;
}

/**
 * Creates the demo organization through the REST API, each dashboard as the user who owns it. It skips what
 * exists, so that a second call completes an interrupted one.
 *
 * @throws GatehouseError if a request is rejected
 */
export async function loadDemo(parts: LoadParts): Promise<void> {
  const { credentials, settings, servers } = parts;
  const production = await signIn(parts, credentials);
  const { admin } = production;
  await moveDemo(parts);
  // First, so that its deliveries show how the organization grew.
  await loadWebhook(admin, settings.webhook.port);
  const { findId, orgUserIds } = await loadPeople(admin);
  const staging = await signIn(parts, await provideStaging(admin, parts));
  const people = { findId, orgUserIds, settings };
  const [connectionId] = await Promise.all([
    loadProject(demoProduction, production, people),
    loadProject(demoStaging, staging, people),
  ]);

  await servers.ready();
  await introspect(admin, 1);
  const { projectId } = credentials;
  await loadPolicies({ admin, projectId, connectionId, findId, port: settings.database.port });
  await servers.renameColumn();
  await introspect(admin, 2);
  await introspect(staging.admin, 1);
  // Last: the policy service starts its sample database for them, which takes the CPU time of all the rest.
  await loadPolicyTests({ admin, projectId });
}

/** Lets the records that name the ports of the servers follow them, where they exist. */
export async function moveDemo(parts: LoadParts): Promise<void> {
  const { credentials, settings } = parts;
  const { admin } = await signIn(parts, credentials);
  await moveWebhook(admin, settings.webhook.port);
  await moveConnection(admin, settings);
  const { projectId } = credentials;
  await movePolicies({ admin, projectId, port: settings.database.port });
  if (settings.staging === undefined) return;
  await moveConnection((await signIn(parts, settings.staging)).admin, settings);
}

async function signIn(
  { baseUrl, credentials: { adminOrgUserId } }: LoadParts,
  { projectId, projectSecret }: Project,
): Promise<SignIn> {
  const issue = createClient({ baseUrl });
  const as: SignIn['as'] = async (user) => {
    const { accessToken } = await issue.issueToken({ projectId, projectSecret, ...user });
    return createClient({ baseUrl, accessToken });
  };
  return { admin: await as({ orgUserId: adminOrgUserId }), as };
}

/** The second project. Its secret is stored after its creation, so an interrupted load may need another. */
async function provideStaging(admin: Client, { settings, saveStaging }: LoadParts): Promise<Project> {
  if (settings.staging !== undefined) return settings.staging;
  const { projects } = await admin.listProjects();
  const present = projects.find(({ name }) => name === stagingName);
  const { project } =
    present === undefined
      ? await admin.createProject({ name: stagingName })
      : await admin.rotateProjectSecret({ id: present.id });
  const staging = { projectId: project.id, projectSecret: project.secret };
  await saveStaging(staging);
  return staging;
}

interface People {
  findId: FindId;
  orgUserIds: ReadonlySet<string>;
  settings: DemoSettings;
}

/** Returns the id of the project's connection. */
async function loadProject(project: DemoProject, { admin, as }: SignIn, people: People): Promise<string> {
  const ids = await loadSemantics(admin, project, people.settings);
  const hasVersions = await provideVersions(admin);
  const clients = new Map<string, Promise<Client>>();
  const signInOwner = (ownerId: string) => {
    const user = people.orgUserIds.has(ownerId) ? { orgUserId: ownerId } : { endUserId: ownerId };
    const client = clients.get(ownerId) ?? as(user);
    clients.set(ownerId, client);
    return client;
  };
  await loadResources(project, { admin, ids, findId: people.findId, signInOwner, hasVersions });
  return ids.connectionId;
}

/** Sets up version control. Returns false on a machine without git. */
async function provideVersions(admin: Client): Promise<boolean> {
  try {
    await admin.getVersionControl();
    return true;
  } catch (error) {
    if (!hasStatus(error, 404)) throw error;
  }
  try {
    await admin.putVersionControl({ commitOnSave: 'optional' });
    return true;
  } catch (error) {
    if (hasStatus(error, 503)) return false;
    throw error;
  }
}

function hasStatus(error: unknown, status: number): boolean {
  return error instanceof GatehouseError && error.status === status;
}

/** Reads the catalog of the connection unless it has that many versions. */
async function introspect(admin: Client, version: number): Promise<void> {
  const connection = await findConnection(admin);
  if (connection === undefined || (connection.catalogVersion ?? 0) >= version) return;
  await admin.introspectConnection({ id: connection.id });
}
