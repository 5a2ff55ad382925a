/** Sends a request of an ADMIN with a project token, and resolves to the body of its response. */
export type SendRequest = (method: 'POST', path: string, body: object) => Promise<unknown>;

/** How many records of each kind there are. */
export interface OrganizationSize {
  /** Every tenth is shared with a group, and every fourth has a wrong column. */
  dashboards: number;
  /** Tenant users; a tenth as many org users are beside them. */
  people: number;
  groups: number;
  /** Definitions of policies; each has an assignment to a tenant. */
  policies: number;
  /** Tenants, visuals, connections, domains, data models and assistant profiles, each. */
  others: number;
}

/** What a large organization has, by id. The names of its records end with their five-digit numbers. */
export interface LargeOrganization {
  /** With a catalog of 200 tables. */
  connectionId: string;
  definitionId: string;
  /** Shared with 300 people and half of the groups. */
  dashboardId: string;
  /** With 500 members. */
  groupId: string;
  /** The only policy that it is assigned is the definition, which restricts `table_2`. */
  tenantId: string;
  /** A member of the group. */
  userId: string;
}

const API = '/api/management/v1';
const BATCH = 100;
const SHARES_BATCH = 250;
const CONCURRENT = 3;
const TABLES = 200;
const COLUMNS = 20;
const MEMBERS_MAX = 500;
const MEMBERS_OF_OTHERS = 20;
const SHARES_MAX = 300;
/** The most members that one request adds. */
const ADDED_MAX = 100;

/** The name of a record by its number, from 1. */
export const nameOfRecord = (noun: string, number: number) => `${noun} ${String(number).padStart(5, '0')}`;

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const partsOf = <T>(items: readonly T[], size: number) =>
  numbers(Math.ceil(items.length / size)).map((part) => items.slice((part - 1) * size, part * size));

/** Runs an action for each item, a few at a time, and returns the results in the order of the items. */
async function forEach<T, R>(items: readonly T[], action: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  const work = async () => {
    for (const [index, item] of waiting) results[index] = await action(item);
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
  return results;
}

function idOf(body: unknown): string {
  const [record] = Object.values(body as Record<string, { id: string }>);
  return record?.id ?? '';
}

const columns = numbers(COLUMNS).map((column) => ({ name: `column_${column}`, type: 'text' }));
const catalog = {
  defaultSchema: 'public',
  schemas: [
    {
      name: 'public',
      tables: numbers(TABLES).map((table) => ({
        name: `table_${table}`,
        columns: [...columns, { name: 'tenant_id', type: 'text' }],
      })),
    },
  ],
};

function templateOf(connectionId: string, number: number) {
  const wrong = number % 4 === 0 ? [{ column: `colum_${number % COLUMNS}` }] : [];
  const card = {
    id: 'c1',
    title: 'Figures',
    dataSource: {
      connectionId,
      mode: 'database',
      selectedEntities: [{ table: `table_${(number % TABLES) + 1}` }],
    },
    fields: { columns: [{ column: 'column_1' }, ...wrong] },
  };
  return { sheets: [{ id: 's1', title: 'Overview', frames: [{ id: 'f1', cards: [card] }] }] };
}

/** What the steps of the filling have in common. */
interface Filling {
  send: SendRequest;
  projectId: string;
  size: OrganizationSize;
  /** Creates a record, and resolves to its id. */
  create(path: string, body: object): Promise<string>;
  /** Creates records in batches, and resolves to the results. */
  createMany(path: string, records: readonly object[]): Promise<unknown[]>;
}

/** Fills an organization through the REST API. */
export async function fillOrganization(
  send: SendRequest,
  projectId: string,
  size: OrganizationSize,
): Promise<LargeOrganization> {
  const filling: Filling = {
    send,
    projectId,
    size,
    create: async (path, body) => idOf(await send('POST', path, body)),
    createMany: async (path, records) => {
      const parts = partsOf(records, BATCH);
      return (await forEach(parts, (part) => createPart(send, path, part))).flat();
    },
  };
  const [connectionId = ''] = await createConnections(filling);
  await createPeople(filling);
  const groups = await createGroups(filling);
  await createOthers(filling, connectionId);
  const [definitionId = ''] = await definePolicies(filling, connectionId);
  const dashboards = await createDashboards(filling, connectionId);
  await shareDashboards(filling, dashboards, groups);
  const [dashboardId = ''] = dashboards;
  const [groupId = ''] = groups;
  return { connectionId, definitionId, dashboardId, groupId, tenantId: 'tenant-2', userId: 'user-1' };
}

/** Creates records in one batch, or in smaller ones if a busy machine does not complete it in its time. */
async function createPart(send: SendRequest, path: string, records: readonly object[]): Promise<unknown[]> {
  try {
    const operations = records.map((each) => ({ op: 'create', ...each }));
    return ((await send('POST', path, { operations })) as { results: unknown[] }).results;
  } catch (error) {
    if (records.length === 1) throw error;
    const halves = partsOf(records, Math.ceil(records.length / 2));
    const created: unknown[] = [];
    for (const half of halves) created.push(...(await createPart(send, path, half)));
    return created;
  }
}

const createConnections = ({ create, size }: Filling) =>
  forEach(numbers(size.others), (number) =>
    create('/api/v1/connections', {
      name: nameOfRecord('Connection', number),
      type: 'static',
      config: { dialect: 'postgres' },
      ...(number === 1 ? { catalog } : {}),
    }),
  );

async function createPeople({ create, createMany, size }: Filling): Promise<void> {
  await forEach(numbers(size.others), (number) =>
    create(`${API}/tenants`, { id: `tenant-${number}`, name: nameOfRecord('Tenant', number) }),
  );
  await createMany(
    `${API}/tenant-users:batch`,
    numbers(size.people).map((number) => ({
      id: `user-${number}`,
      tenantId: `tenant-${(number % size.others) + 1}`,
      email: `user${number}@tenant.example`,
      name: nameOfRecord('Person', number),
      role: 'VIEWER',
    })),
  );
  await forEach(numbers(size.people / 10), (number) =>
    create(`${API}/org-users`, {
      email: `colleague${number}@organization.example`,
      name: nameOfRecord('Colleague', number),
      role: 'AUTHOR',
    }),
  );
}

const createGroups = ({ send, create, size: { people, groups } }: Filling) =>
  forEach(numbers(groups), async (number) => {
    const id = await create(`${API}/groups`, { name: nameOfRecord('Group', number), type: 'ORG_GROUP' });
    const count = Math.min(people, number === 1 ? MEMBERS_MAX : MEMBERS_OF_OTHERS);
    const userIds = numbers(count).map((member) => `user-${((member + number - 2) % people) + 1}`);
    for (const part of partsOf(userIds, ADDED_MAX))
      await send('POST', `${API}/groups/${id}/members`, { userIds: part });
    return id;
  });

/** A number in letters, in the order of the numbers: the name of a domain has no digits. */
const inLetters = (number: number) =>
  String(number)
    .padStart(4, '0')
    .replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '');

const createOthers = ({ create, size }: Filling, connectionId: string) =>
  forEach(numbers(size.others), async (number) => {
    await create('/api/v1/datamodels', { name: nameOfRecord('Model', number), connectionId });
    await create('/api/v1/domains', {
      name: `domain_${inLetters(number)}`,
      label: nameOfRecord('Domain', number),
    });
    await create('/api/v1/assistant-profiles', { name: nameOfRecord('Assistant', number) });
    await create(`${API}/visuals`, { title: nameOfRecord('Visual', number) });
  });

const definePolicies = ({ send, projectId, size }: Filling, connectionId: string) =>
  forEach(numbers(size.policies), async (number) => {
    const base = `${API}/projects/${projectId}/unified-security`;
    const rule = {
      name: 'own rows',
      matcher: { type: 'TABLE_LIST', tables: [{ table: `table_${(number % TABLES) + 1}` }] },
      expression: 'tenant_id = {{ actor.tenantId }}',
    };
    const body = { connectionId, name: nameOfRecord('Policy', number), rlsConfig: { rules: [rule] } };
    const { data } = (await send('POST', `${base}/definitions`, body)) as {
      data: { definition: { id: string } };
    };
    const definitionId = data.definition.id;
    const tenantId = `tenant-${(number % size.others) + 1}`;
    await send('POST', `${base}/assignments`, { definitionId, scopeType: 'TENANT', tenantId });
    return definitionId;
  });

async function createDashboards({ createMany, size }: Filling, connectionId: string): Promise<string[]> {
  const results = await createMany(
    `${API}/dashboards:batch`,
    numbers(size.dashboards).map((number) => ({
      title: nameOfRecord('Dashboard', number),
      description: 'Monthly figures with the plan beside them',
      tags: ['finance', 'monthly'],
      template: templateOf(connectionId, number),
    })),
  );
  return results.map((result) => (result as { dashboard: { id: string } }).dashboard.id);
}

async function shareDashboards(
  { send, size: { people } }: Filling,
  dashboards: readonly string[],
  groups: readonly string[],
): Promise<void> {
  const ofGroup = (groupId: string | undefined) => ({ scope: 'group', groupId, role: 'VIEWER' });
  const ofPerson = (number: number) => ({
    scope: 'specific_tenant_user',
    tenantUserId: `user-${number}`,
    role: 'VIEWER',
  });
  await forEach(
    dashboards.filter((_id, index) => index % 10 === 1),
    (id) => send('POST', `${API}/dashboards/${id}/share`, { shares: [ofGroup(groups[0])] }),
  );
  const shares = [
    ...numbers(Math.min(people, SHARES_MAX)).map(ofPerson),
    ...groups.slice(0, Math.ceil(groups.length / 2)).map(ofGroup),
  ];
  for (const part of partsOf(shares, SHARES_BATCH))
    await send('POST', `${API}/dashboards/${dashboards[0]}/share`, { shares: part });
}
