import { termFieldsOf } from '@gatehouse/access/lists';
import type { Db, Document } from 'mongodb';
import type { Credentials } from './servers.js';

/** The measured organization: one tenant, its user with many groups, and very many dashboards. */
export interface Seeded {
  projectId: string;
  /** Access token of the tenant user who lists and reads. */
  viewerToken: string;
  /** Access token of the org user who owns everything. */
  ownerToken: string;
  /** The subjects of the viewer, as dashboards name their readers. */
  subjects: string[];
  /** Dashboards that the viewer may see. */
  visibleIds: string[];
  allIds: string[];
  /** Users to share with. */
  tenantUserIds: string[];
}

const PRINCIPALS = 25;
/** Beside its groups a tenant user is itself, of its tenant, one of all tenants, and of its home audience. */
const GROUPS = PRINCIPALS - 4;
const VISIBLE = 500;
const SHARE_TARGETS = 100;
const BATCH = 2000;

/** A request of one bearer that must succeed, and the body of its answer. */
export type Call = (method: string, path: string, body?: unknown) => Promise<Record<string, never>>;

export function caller(baseUrl: string, token?: string): Call {
  return async (method, path, body) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as Record<string, never>;
  };
}

const API = '/api/management/v1';

export async function issueToken(
  credentials: Credentials,
  identity: Record<string, string>,
): Promise<string> {
  const { projectId, projectSecret } = credentials;
  const request = { projectId, projectSecret, tokenExpiry: 86_400, ...identity };
  return (await caller(credentials.baseUrl)('POST', '/api/v1/token', request))[
    'accessToken'
  ] as unknown as string;
}

/** A dashboard as the program wrote it, shared with two groups. */
interface Pattern {
  document: Document;
  groupIds: [string, string];
  shareIds: string[];
}

const TEMPLATE = {
  sheets: [{ id: 's1', title: 'Overview', frames: [{ id: 'f1', cards: [{ id: 'c1', title: 'Revenue' }] }] }],
};

/**
 * Creates one dashboard and its shares through the API: every other one is a copy of what the program stored
 * itself.
 */
async function makePattern(call: Call, database: Db, groupIds: [string, string]): Promise<Pattern> {
  const created = await call('POST', `${API}/dashboards`, {
    title: 'Pattern title',
    description: 'Monthly figures with the plan beside them',
    tags: ['finance', 'monthly'],
    template: TEMPLATE,
  });
  const { id } = created['dashboard'] as unknown as { id: string };
  await call('POST', `${API}/dashboards/${id}/share`, {
    shares: groupIds.map((groupId) => ({ scope: 'group', role: 'VIEWER', groupId })),
  });
  const dashboards = database.collection<Document & { _id: string }>('dashboards');
  for (;;) {
    const document = await dashboards.findOne({ _id: id });
    if (document && (document['outbox'] as unknown[]).length === 0) {
      await dashboards.deleteOne({ _id: id });
      return {
        document,
        groupIds,
        shareIds: (document['shares'] as { id: string }[]).map((share) => share.id),
      };
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Replaces texts everywhere in a value, so that derived values stay right. */
function replaceTexts(value: unknown, texts: readonly (readonly [string, string])[]): unknown {
  if (typeof value === 'string') return texts.reduce((text, [from, to]) => text.replaceAll(from, to), value);
  if (Array.isArray(value)) return value.map((each) => replaceTexts(each, texts));
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, replaceTexts(each, texts)]));
}

const WORDS = [
  'north',
  'harbour',
  'cedar',
  'quartz',
  'meadow',
  'ember',
  'violet',
  'summit',
  'delta',
  'willow',
];

const idOf = (index: number) => `d_bench${String(index).padStart(8, '0')}`;

type Copy = Document & { _id: string };
type TermSources = Parameters<typeof termFieldsOf>[0];

/** A copy of the pattern that is shared with `groupId`, and with a group of other users. */
function copyOf({ document, groupIds, shareIds }: Pattern, index: number, groupId: string): Copy {
  // Spread evenly over the visible ones too, for any distance between them.
  const mixed = (index * 48_271) % 2_147_483_647;
  const title = `Revenue ${WORDS[mixed % 10]} ${WORDS[Math.floor(mixed / 10) % 10]} ${index}`;
  const copy = replaceTexts(document, [
    ['Pattern title', title],
    ['pattern title', title.toLowerCase()],
    [groupIds[0], groupId],
    [groupIds[1], `grp_other${index % 977}`],
    ...shareIds.map((id, n) => [id, `sh_bench${index}_${n}`] as const),
  ]) as Document;
  const at = new Date(Date.UTC(2026, 0, 1) + index * 1000);
  return { ...copy, _id: idOf(index), createdAt: at, updatedAt: at };
}

/** Changes a copied dashboard. Terms follow. */
export type Vary = (copy: Copy, index: number) => Copy;

async function insertCopies(
  database: Db,
  pattern: Pattern,
  { count, viewerGroupIds, vary }: { count: number; viewerGroupIds: string[]; vary: Vary },
): Promise<string[]> {
  const dashboards = database.collection<Document & { _id: string }>('dashboards');
  const step = Math.floor(count / VISIBLE);
  const visibleIds: string[] = [];
  for (let start = 0; start < count; start += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - start) }, (_, offset) => {
      const index = start + offset;
      const own = viewerGroupIds[Math.floor(index / step) % viewerGroupIds.length] ?? '';
      const isVisible = index % step === 0;
      if (isVisible) visibleIds.push(idOf(index));
      const copy = vary(copyOf(pattern, index, isVisible ? own : `grp_far${index % 1013}`), index);
      return { ...copy, ...termFieldsOf(copy as unknown as TermSources) };
    });
    await dashboards.insertMany(batch, { ordered: false });
  }
  return visibleIds;
}

async function makeGroups(call: Call): Promise<string[]> {
  const groupIds: string[] = [];
  for (let n = 0; n < GROUPS; n += 1) {
    const created = await call('POST', `${API}/groups`, { name: `Group ${n}`, type: 'ORG_GROUP' });
    const { id } = created['group'] as unknown as { id: string };
    groupIds.push(id);
    await call('POST', `${API}/groups/${id}/members`, { userIds: ['viewer'] });
  }
  return groupIds;
}

async function makeTenantUsers(call: Call): Promise<string[]> {
  const ids = Array.from({ length: SHARE_TARGETS }, (_, n) => `user${n}`);
  for (const id of ['viewer', ...ids]) {
    await call('POST', `${API}/tenant-users`, { id, tenantId: 'acme', email: `${id}@acme.example` });
  }
  return ids;
}

/** Fills a fresh installation with `count` dashboards, of which the viewer may see about 500. */
export async function seed(
  credentials: Credentials,
  database: Db,
  { count, prepare }: { count: number; prepare?: (call: Call) => Promise<Vary> },
): Promise<Seeded> {
  const ownerToken = await issueToken(credentials, { orgUserId: credentials.adminOrgUserId });
  const call = caller(credentials.baseUrl, ownerToken);
  await call('POST', `${API}/tenants`, { id: 'acme', name: 'Acme' });
  const tenantUserIds = await makeTenantUsers(call);
  const groupIds = await makeGroups(call);
  const pattern = await makePattern(call, database, groupIds.slice(0, 2) as [string, string]);
  // The pattern's own groups are replaced in the copies.
  const viewerGroupIds = groupIds.slice(2);
  const visibleIds = await insertCopies(database, pattern, {
    count,
    viewerGroupIds,
    vary: prepare === undefined ? (copy) => copy : await prepare(call),
  });
  const viewerToken = await issueToken(credentials, { endUserId: 'viewer' });
  const allIds = Array.from({ length: count }, (_, index) => idOf(index));
  // The limit queries as many subjects as the viewer has; those without shares cost it as much as they cost
  // Gatehouse.
  const own = ['u:viewer', 't:acme', 'audience:all_tenants_only', 'home:t:acme'];
  const subjects = [...groupIds.map((id) => `g:${id}`), ...own];
  return {
    projectId: credentials.projectId,
    viewerToken,
    ownerToken,
    subjects,
    visibleIds,
    allIds,
    tenantUserIds,
  };
}

/** Copies the dashboards with their indexes to a database of the limit, which has no validation rules. */
export async function copyForLimit(database: Db, limitDatabase: Db): Promise<void> {
  const source = database.collection('dashboards');
  const target = limitDatabase.collection('dashboards');
  const indexes = await source.indexes();
  await target.createIndexes(indexes.filter(({ name }) => name !== '_id_'));
  const batch: Document[] = [];
  for await (const document of source.find()) {
    batch.push(document);
    if (batch.length === BATCH) await target.insertMany(batch.splice(0));
  }
  if (batch.length > 0) await target.insertMany(batch);
}
