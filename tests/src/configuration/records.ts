import { succeeded, type Session } from '../api.js';
import { pathTo, sessionOf, type BuiltOrganization } from '../organizations/build.js';
import type { Expectations } from '../organizations/ways.js';
import { mapSideBySide } from '../sideBySide.js';
import { renameAll } from './policies.js';

type Json = Record<string, unknown>;

/** An ADMIN of an organization, in each of its projects. */
export type Admins = Record<string, { projectId: string; session: Session }>;

/** What differs between an organization and its copy, or depends on the caller. */
const OWN_FIELDS = ['id', 'version', 'organizationId', 'createdBy', 'grantedBy', 'addedBy', 'accessLevel'];
const isOwnField = (name: string) =>
  OWN_FIELDS.includes(name) || name === 'permissions' || (name.endsWith('At') && name !== 'expiresAt');

/** Without the fields that a copy has of its own. */
function withoutOwnFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOwnFields);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !isOwnField(name));
  return Object.fromEntries(kept.map(([name, part]) => [name, withoutOwnFields(part)]));
}

/** The list of a response: the only array in it. */
async function readList(session: Session, path: string): Promise<Json[]> {
  const body = succeeded(await session.get<Json>(path));
  return Object.values(body).find((part) => Array.isArray(part)) as Json[];
}

/** Each record of a list, with what another path has of it. */
async function withDetails(
  session: Session,
  records: readonly Json[],
  pathOf: (id: string) => string,
): Promise<Json[]> {
  return mapSideBySide(records, async (record) => ({
    ...record,
    details: succeeded(await session.get<Json>(pathOf(String(record['id'])))),
  }));
}

async function readProject({ projectId, session }: Admins[string]): Promise<Record<string, Json[]>> {
  const policies = `/projects/${projectId}/unified-security`;
  const list = async (path: string) => readList(session, path);
  const listed = async (path: string, field: string) => (await list(path)).map((item) => item[field] as Json);
  const definitions = await listed(`${policies}/definitions`, 'definition');
  const [dashboards, visuals] = [
    await list('/dashboards?scope=organization&limit=500'),
    await list('/visuals?scope=organization&limit=500'),
  ];
  return {
    dashboards: await withDetails(session, dashboards, (id) => `/dashboards/${id}/shares?scope=organization`),
    visuals: await withDetails(session, visuals, (id) => `/visuals/${id}/shares?scope=organization`),
    connections: await withDetails(
      session,
      await list('/api/v1/connections'),
      (id) => `/api/v1/connections/${id}`,
    ),
    domains: await withDetails(
      session,
      await list('/api/v1/domains'),
      (id) => `/api/v1/domains/${id}/template`,
    ),
    datamodels: await withDetails(
      session,
      await list('/api/v1/datamodels'),
      (id) => `/api/v1/datamodels/${id}`,
    ),
    profiles: await list('/api/v1/assistant-profiles'),
    definitions: await withDetails(session, definitions, (id) => `${policies}/definitions/${id}/tests`),
    assignments: await listed(`${policies}/assignments`, 'assignment'),
  };
}

/** All records of an organization, by kind, with their ids. */
export type Records = Record<string, Json[]>;

/** Reads all records of an organization, as its ADMIN. */
export async function readRecords(admins: Admins): Promise<Records> {
  const records: Records = {};
  for (const [name, admin] of Object.entries(admins))
    for (const [kind, found] of Object.entries(await readProject(admin))) records[`${name} ${kind}`] = found;
  const [admin] = Object.values(admins);
  if (!admin) throw new Error('An organization has a project');
  const { session } = admin;
  const groups = await readList(session, '/groups?limit=100');
  return {
    ...records,
    tenants: await readList(session, '/tenants?limit=1000'),
    orgUsers: await readList(session, '/org-users?limit=1000'),
    tenantUsers: await readList(session, '/tenant-users?limit=1000'),
    groups: await withDetails(session, groups, (id) => `/groups/${id}/members?limit=100`),
    webhooks: await readList(session, '/webhooks'),
  };
}

/** The names of all records, and of the projects, by their ids. */
export function namesIn(records: Records, admins: Admins): Map<string, string> {
  const names = Object.entries(admins).map(([name, { projectId }]) => [projectId, name] as const);
  for (const record of Object.values(records).flat()) {
    const { id, email, title, name, url } = record;
    names.push([String(id), JSON.stringify(email ?? title ?? name ?? url)]);
  }
  return new Map(names);
}

/** The records as they have to be in a copy too, in an order that does not depend on the ids. */
export function comparable(records: Records, names: ReadonlyMap<string, string>): Record<string, unknown[]> {
  const sorted = Object.entries(records).map(([kind, found]) => {
    const renamed = found.map((record) => renameAll(withoutOwnFields(record), names));
    return [kind, renamed.map(sortLists).toSorted(byText)] as const;
  });
  return Object.fromEntries(sorted);
}

const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

/** Lists of shares and members are in the order of their creation, which a copy does not keep. */
function sortLists(record: unknown): unknown {
  const { details, ...fields } = record as Json;
  const sorted = Object.entries((details ?? {}) as Json).map(([name, part]) => [
    name,
    Array.isArray(part) ? part.toSorted(byText) : part,
  ]);
  return { ...fields, details: Object.fromEntries(sorted) as unknown };
}

/** Each resource that a user may read, as its first reader receives it. */
export async function readContents(
  built: BuiltOrganization,
  expectations: Expectations,
  names: ReadonlyMap<string, string>,
): Promise<Record<string, unknown>> {
  const read = await mapSideBySide(Object.entries(built.resources), async ([name, resource]) => {
    const reader = Object.entries(expectations).find(
      ([, { isActive, access }]) => isActive && access[name] != null,
    );
    if (!reader) return [name, null] as const;
    const session = sessionOf(built, reader[0], resource.project);
    const body = succeeded(await session.get<Json>(pathTo(resource)));
    return [name, renameAll(withoutOwnFields(body), names)] as const;
  });
  return Object.fromEntries(read.filter(([, found]) => found !== null));
}
