import { usePlatform } from '@gatehouse/testing/platform';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fieldsOf, startPlatform, TENANT_RULE, type Project } from '../testing/platform.js';

const { platform } = await usePlatform(startPlatform);
let project: Project;
beforeAll(() => {
  for (const id of ['t_north', 't_south']) platform.people.tenant(id);
  platform.people.tenantUser('nora', 't_north');
  platform.people.orgUser('ou_ada', 'AUTHOR');
});
beforeEach(async () => {
  project = await platform.openProject();
});

const OPEN = { rules: [{ ...TENANT_RULE, expression: 'true' }] };

describe('lint', () => {
  const lint = async (input: Record<string, unknown>) => {
    const { projectId, origin } = project;
    return (await platform.policy.previews.lint.mutate({ projectId, ...input }, { context: origin })).data
      .warnings;
  };
  const codesOf = (warnings: { code: string }[]) => warnings.map(({ code }) => code);

  it('checks one stored definition, an unsaved one, and all of a connection', async () => {
    const { connectionId } = project;
    const { definition, warnings } = await project.define({ rlsConfig: OPEN });
    await project.define();
    expect(codesOf(warnings)).toContain('ALWAYS_TRUE');
    const stored = await lint({ definitionId: definition.id });
    expect(stored).toEqual(warnings);
    expect(stored[0]).toMatchObject({ definitionId: definition.id, path: 'rlsConfig.rules[0].expression' });
    const unsaved = await lint({ connectionId, rlsConfig: OPEN });
    expect(unsaved[0]).toMatchObject({ code: 'ALWAYS_TRUE', definitionId: null });
    expect(await lint({ connectionId })).toEqual(expect.arrayContaining(warnings));
    expect(
      codesOf(await lint({ definitionId: definition.id, rlsConfig: { rules: [TENANT_RULE] } })),
    ).not.toContain('ALWAYS_TRUE');
  });

  it('warns about an assignment that leaves a placeholder without a value, also on saving', async () => {
    const { definition } = await project.define();
    const { assignment, warnings } = await project.assign(definition.id, {
      scopeType: 'TENANT',
      tenantId: 't_north',
    });
    expect(warnings).toMatchObject([{ code: 'UNFILLED_PLACEHOLDER', assignmentId: assignment.id }]);
    const filled = await project.assign(definition.id, { scopeType: 'ALL_TENANTS', params: { tenant: 'x' } });
    expect(codesOf(filled.warnings)).not.toContain('UNFILLED_PLACEHOLDER');
  });

  it('writes nothing', async () => {
    const { definition } = await project.define({ rlsConfig: OPEN });
    const before = await platform.snapshot();
    await lint({ definitionId: definition.id, slsConfig: { schema: 'public' } });
    expect(await platform.snapshot()).toEqual(before);
  });

  it.each([
    ['nothing', {}, 'INVALID_REQUEST', ['connectionId']],
    ['an unknown connection', { connectionId: 'c_none' }, 'INVALID_REQUEST', ['connectionId']],
    ['an unknown definition', { definitionId: 'usd_none' }, 'NOT_FOUND', ['definitionId']],
    ['configs without a connection', { rlsConfig: OPEN }, 'INVALID_REQUEST', ['connectionId']],
  ])('of %s is refused', async (_, input, code, fields) => {
    const refusal = await platform.refusalOf(() => lint(input));
    expect([refusal.code, fieldsOf(refusal)]).toEqual([code, fields]);
  });

  it('of a definition of another connection is refused', async () => {
    const { definition } = await project.define();
    const connectionId = platform.connections.add(project.projectId, `${project.connectionId}2`);
    const refusal = await platform.refusalOf(() => lint({ connectionId, definitionId: definition.id }));
    expect([refusal.code, fieldsOf(refusal)]).toEqual(['INVALID_REQUEST', ['definitionId']]);
  });
});

describe('coverage', () => {
  const cover = async (input: Record<string, unknown> = {}) => {
    const { projectId, connectionId, origin } = project;
    return (
      await platform.policy.previews.coverage.query(
        { projectId, connectionId, ...input },
        { context: origin },
      )
    ).data.actors;
  };
  const tablesOf = (tables: { table: string }[] = []) => tables.map(({ table }) => table);

  it('of one actor separates governed from ungoverned tables', async () => {
    const { definition } = await project.define();
    await project.assign(definition.id, { scopeType: 'TENANT', tenantId: 't_north' });
    const [covered, ...others] = await cover({ tenantUserId: 'nora' });
    expect(others).toEqual([]);
    expect(covered).toMatchObject({
      actor: { kind: 'TENANT_USER', tenantUserId: 'nora' },
      isGoverned: true,
      totalTables: 3,
      ungoverned: [{ schema: 'public', table: 'countries' }],
    });
    expect(tablesOf(covered?.governed)).toEqual(['orders', 'customers']);
    expect(covered?.governed[0]?.rules).toEqual(['own tenant']);
    const [uncovered] = await cover({ tenantId: 't_south' });
    expect(tablesOf(uncovered?.ungoverned)).toHaveLength(3);
  });

  it('lists each rule of a tenant once', async () => {
    const { definition } = await project.define();
    await project.assign(definition.id, { scopeType: 'TENANT', tenantId: 't_north' });
    const [covered] = await cover({ tenantId: 't_north' });
    expect(covered?.governed.map(({ rules }) => rules)).toEqual([['own tenant'], ['own tenant']]);
  });

  it('without an actor covers each actor with an assignment, in a constant number of calls', async () => {
    const { definition } = await project.define();
    const countCalls = async () => {
      const before = platform.people.calls + platform.connections.calls;
      const actors = await cover();
      return { actors, calls: platform.people.calls + platform.connections.calls - before };
    };
    await project.assign(definition.id, { scopeType: 'TENANT', tenantId: 't_north' });
    const one = await countCalls();
    await project.assign(definition.id, { scopeType: 'ALL_TENANTS' });
    await project.assign(definition.id, { scopeType: 'ORG_USER', orgUserId: 'ou_ada' });
    await project.assign(definition.id, { scopeType: 'TENANT_USER', tenantUserId: 'nora' });
    const all = await countCalls();
    expect(all.actors.map(({ actor }) => actor.kind).toSorted()).toEqual([
      'ALL_TENANTS',
      'ORG_USER',
      'TENANT',
      'TENANT_USER',
    ]);
    expect(all.actors.every(({ governed }) => governed.length === 2)).toBe(true);
    expect(all.calls).toBe(one.calls);
  });

  it('ends a page before it lists very many tables, and continues after its last actor', async () => {
    const { projectId, origin } = project;
    const tables = Array.from({ length: 60_000 }, (_, index) => {
      return { name: `t${index}`, kind: 'table' as const, columns: [{ name: 'a', type: 'text' }] };
    });
    const catalog = { defaultSchema: 's', schemas: [{ name: 's', tables }] };
    const connectionId = platform.connections.add(projectId, `${project.connectionId}w`, { catalog });
    const { definition } = await project.define({ connectionId });
    for (const tenantId of ['t_north', 't_south'])
      await project.assign(definition.id, { scopeType: 'TENANT', tenantId });
    const actors = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < 3; pages += 1) {
      const page = await platform.policy.previews.coverage.query(
        { projectId, connectionId, ...(cursor === undefined ? {} : { cursor }) },
        { context: origin },
      );
      actors.push(...page.data.actors.map(({ actor, totalTables }) => ({ ...actor, totalTables })));
      expect(page.data.actors).toHaveLength(1);
      cursor = page.nextCursor ?? undefined;
      if (cursor === undefined) break;
    }
    expect(cursor).toBeUndefined();
    expect(actors.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual([
      { kind: 'TENANT', tenantId: 't_north', totalTables: 60_000 },
      { kind: 'TENANT', tenantId: 't_south', totalTables: 60_000 },
    ]);
  });

  it('ends a page after it lists very many names of rules, and continues after its last actor', async () => {
    const { projectId, origin } = project;
    const tables = Array.from({ length: 5000 }, (_, index) => {
      return { name: `t${index}`, kind: 'table' as const, columns: [{ name: 'a', type: 'text' }] };
    });
    const catalog = { defaultSchema: 's', schemas: [{ name: 's', tables }] };
    const connectionId = platform.connections.add(projectId, `${project.connectionId}r`, { catalog });
    const matcher = { type: 'SCHEMA' as const, schema: 's' };
    const rules = Array.from({ length: 11 }, (_, index) => {
      return {
        name: `${index}`.padEnd(200, 'x'),
        matcher,
        expression: 'a = 1',
      };
    });
    const { definition } = await project.define({ connectionId, rlsConfig: { rules } });
    for (const tenantId of ['t_north', 't_south'])
      await project.assign(definition.id, { scopeType: 'TENANT', tenantId });
    const pageOf = (cursor?: string) =>
      platform.policy.previews.coverage.query(
        { projectId, connectionId, ...(cursor === undefined ? {} : { cursor }) },
        { context: origin },
      );
    const first = await pageOf();
    const second = await pageOf(first.nextCursor ?? undefined);
    const listed = [first, second].map(({ data, nextCursor }) => [
      data.actors.map(({ governed }) => governed[4999]?.rules.length),
      nextCursor === null,
    ]);
    expect(listed).toEqual([
      [[11], false],
      [[11], true],
    ]);
    expect(first.data.actors[0]?.actor).not.toEqual(second.data.actors[0]?.actor);
  });

  it('names the faults of the request', async () => {
    const two = await platform.refusalOf(() => cover({ tenantId: 't_north', tenantUserId: 'nora' }));
    expect([two.code, fieldsOf(two)]).toEqual(['INVALID_REQUEST', ['tenantUserId']]);
    const unknown = await platform.refusalOf(() => cover({ orgUserId: 'ou_none' }));
    expect([unknown.code, fieldsOf(unknown)]).toEqual(['INVALID_REQUEST', ['orgUserId']]);
    const nowhere = await platform.refusalOf(() => cover({ connectionId: 'c_none' }));
    expect([nowhere.code, fieldsOf(nowhere)]).toEqual(['INVALID_REQUEST', ['connectionId']]);
    const connectionId = platform.connections.add(project.projectId, `${project.connectionId}n`, {
      catalog: null,
    });
    const unread = await platform.refusalOf(() => cover({ connectionId }));
    expect([unread.code, fieldsOf(unread)]).toEqual(['INVALID_REQUEST', ['connectionId']]);
  });
});
