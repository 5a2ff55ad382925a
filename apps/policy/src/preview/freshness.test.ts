import { usePlatform } from '@gatehouse/testing/platform';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { SHOP } from '../testing/neighbours.js';
import { ORDERS, startPlatform, TENANT_RULE, type Preview, type Project } from '../testing/platform.js';

const NORTH = { scopeType: 'TENANT', tenantId: 't_north' } as const;
const NORA = { kind: 'TENANT_USER', tenantUserId: 'nora' } as const;
const OWN = {
  ...TENANT_RULE,
  expression: 'tenant_id in ({{ tenant }}, {{ actor.email }}, {{ actor.role }})',
};

const { platform: one, mongo } = await usePlatform(startPlatform);
const other = await startPlatform(mongo.databases, one);
afterAll(() => other[Symbol.asyncDispose]());
let project: Project;
let definitionId: string;
let assignmentId: string;

beforeEach(async () => {
  one.people.tenant('t_north');
  one.people.tenant('t_south');
  one.people.tenantUser('nora', 't_north');
  project = await one.openProject();
  definitionId = (await project.define({ rlsConfig: { rules: [OWN] } })).definition.id;
  const assigned = await project.assign(definitionId, { ...NORTH, params: { tenant: 'north' } });
  assignmentId = assigned.assignment.id;
});

type Question = Partial<Parameters<Project['preview']>[0]>;

/** Many concurrent previews on both instances. */
async function previewEverywhere(question: Question = {}): Promise<Preview> {
  const { projectId, connectionId, admin } = project;
  const input = { projectId, connectionId, actor: NORA, sql: ORDERS, ...question };
  const asked = [one, one, one, other, other, other].map(async (platform) => {
    const { data } = await platform.policy.previews.preview.mutate(input, {
      context: await platform.as(admin),
    });
    return data;
  });
  const [first, ...rest] = await Promise.all(asked);
  if (!first) throw new Error('Nothing was answered');
  for (const preview of rest) expect(preview).toEqual(first);
  return first;
}

const inlineOf = ({ compiled }: Preview) =>
  compiled.inlineSql ?? compiled.reasons.map(({ code }) => code).join();
const connection = () => {
  const found = one.connections.connections.get(project.connectionId);
  if (!found) throw new Error('The connection is missing');
  return found;
};
const updateDefinition = (fields: object) =>
  one.policy.definitions.update.mutate(
    { projectId: project.projectId, definitionId, ...fields },
    { context: project.origin },
  );
const updateAssignment = (fields: object) =>
  one.policy.assignments.update.mutate(
    { projectId: project.projectId, assignmentId, ...fields },
    { context: project.origin },
  );
const setPerson = (fields: object) => {
  const nora = one.people.users.get('nora');
  if (nora) one.people.users.set('nora', { ...nora, ...fields });
};

const BEFORE = /IN \('north', 'nora@example\.test', 'VIEWER'\)/;

/** Everything that a preview depends on: a change, and the expected next preview. */
const CHANGES: [string, () => unknown, RegExp][] = [
  [
    'a rule of the definition',
    () => updateDefinition({ rlsConfig: { rules: [{ ...OWN, expression: 'amount > 7' }] } }),
    /amount > 7/,
  ],
  [
    'a matcher of the definition',
    () =>
      updateDefinition({
        rlsConfig: { rules: [{ ...OWN, matcher: { type: 'TABLE_LIST', tables: [{ table: 'customers' }] } }] },
      }),
    /^SELECT id, amount FROM public\.orders$/,
  ],
  [
    'whether a rule is enabled',
    () => updateDefinition({ rlsConfig: { rules: [{ ...OWN, enabled: false }] } }),
    /^SELECT id, amount FROM public\.orders$/,
  ],
  [
    'the schema of the definition',
    () => updateDefinition({ slsConfig: { allowedSchemas: ['elsewhere'] } }),
    /^SCHEMA_NOT_ALLOWED$/,
  ],
  ['the values of the assignment', () => updateAssignment({ params: { tenant: 'other' } }), /IN \('other', /],
  ['whether the values are there', () => updateAssignment({ params: null }), /^MISSING_VALUE$/],
  [
    'whom the assignment is for',
    () => updateAssignment({ scopeType: 'TENANT', tenantId: 't_south' }),
    /^UNASSIGNED$/,
  ],
  [
    'whether there is an assignment',
    () =>
      one.policy.assignments.delete.mutate(
        { projectId: project.projectId, assignmentId },
        { context: project.origin },
      ),
    /^UNASSIGNED$/,
  ],
  [
    'whether there is another assignment',
    async () => {
      const rlsConfig = { rules: [{ ...TENANT_RULE, expression: 'id < 3' }] };
      const { definition } = await project.define({ rlsConfig });
      await project.assign(definition.id, { scopeType: 'ALL_TENANTS' });
    },
    /id < 3/,
  ],
  [
    'the barrier of the connection',
    () => Object.assign(connection().connection, { rowBarrier: true }),
    /OFFSET 0/,
  ],
  [
    'whether a catalog was read',
    () => {
      connection().catalog = null;
      Object.assign(connection().connection, { catalogVersion: null });
    },
    /^UNKNOWN_TABLE$/,
  ],
  [
    'the catalog',
    () => {
      connection().catalog = { ...SHOP, defaultSchema: 'public', schemas: renameSchema('other') };
      Object.assign(connection().connection, { catalogVersion: 2 });
    },
    /^UNKNOWN_TABLE$/,
  ],
  ['the e-mail of the user', () => setPerson({ email: 'new@example.test' }), /'new@example\.test'/],
  ['the role of the user', () => setPerson({ role: 'POWER_USER' }), /'POWER_USER'/],
  ['the tenant of the user', () => one.people.tenantUser('nora', 't_south'), /^UNASSIGNED$/],
  [
    'who has the id of its tenant',
    () => {
      one.people.tenant('t_north');
      one.people.tenantUser('nora', 't_north');
    },
    /^UNASSIGNED$/,
  ],
];

const renameSchema = (name: string) =>
  ('schemas' in SHOP ? SHOP.schemas : []).map((schema) => ({ ...schema, name }));

describe('a repeated preview', () => {
  it.each(CHANGES)('reflects %s at once, on every instance', async (_, change, expected) => {
    const before = inlineOf(await previewEverywhere());
    expect(before).toMatch(BEFORE);
    expect(before).not.toMatch(expected);
    await change();
    expect(inlineOf(await previewEverywhere())).toMatch(expected);
  });

  const rls = { rules: [{ ...TENANT_RULE, expression: 'amount < 9', enabled: true }] };
  const QUESTIONS: [string, () => Question, RegExp][] = [
    ['values', () => ({ runtimeParams: { tenant: 'asked' } }), /IN \('asked', /],
    ['policies of a token', () => ({ tokenPolicyInput: { rls } }), /amount < 9/],
    [
      'policies of a token alone',
      () => ({ tokenPolicyInput: { rls }, ignorePersistedAssignments: true }),
      /WHERE orders\.amount < 9/,
    ],
    [
      'a draft',
      () => ({
        draftAssignment: { definitionId, scopeType: 'ALL_TENANTS', params: { tenant: 'drafted' } },
      }),
      /IN \('drafted', /,
    ],
    ['another actor', () => ({ actor: { kind: 'TENANT', tenantId: 't_north' } }), /^MISSING_VALUE/],
    [
      'an actor of another tenant',
      () => ({ actor: { kind: 'TENANT', tenantId: 't_south' } }),
      /^UNASSIGNED$/,
    ],
    ['another statement', () => ({ sql: 'select id from orders' }), /^SELECT id FROM/],
  ];

  it.each(QUESTIONS)(
    'differs for %s, and is unchanged for the original request',
    async (_, question, expected) => {
      const before = await previewEverywhere();
      expect(inlineOf(before)).not.toMatch(expected);
      const [asked, again] = await Promise.all([previewEverywhere(question()), previewEverywhere()]);
      expect(inlineOf(asked)).toMatch(expected);
      expect(again).toEqual(before);
      expect(await previewEverywhere()).toEqual(before);
    },
  );

  it('is not shared with the same concurrent request in another project', async () => {
    const before = await previewEverywhere();
    const elsewhere = await one.openProject('o_other');
    const { projectId, connectionId } = project;
    const [own, theirs, stolen] = await Promise.allSettled([
      previewEverywhere(),
      elsewhere.preview({ actor: NORA, sql: ORDERS }),
      one.policy.previews.preview.mutate(
        {
          projectId: elsewhere.projectId,
          connectionId,
          actor: NORA,
          sql: ORDERS,
        },
        { context: elsewhere.origin },
      ),
    ]);
    expect(own).toMatchObject({ value: before });
    expect(theirs).toMatchObject({ value: { assignments: [], rls: { rules: [] } } });
    expect(stolen).toMatchObject({ status: 'rejected', reason: { cause: { code: 'INVALID_REQUEST' } } });
    expect(projectId).not.toBe(elsewhere.projectId);
  });
});
