import { usePlatform } from '@gatehouse/testing/platform';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fieldsOf, ORDERS, startPlatform, TENANT_RULE, type Project } from '../testing/platform.js';
import { configsOf, paramsOf } from './sealing.js';

const { platform } = await usePlatform(startPlatform);
let project: Project;
beforeAll(() => {
  platform.people.tenant('t_north');
});
beforeEach(async () => {
  project = await platform.openProject();
});

const NORTH = { kind: 'TENANT', tenantId: 't_north' } as const;
/** The start of every planted secret. */
const MARK = 'planted-secret';

/** All stored and published data: documents, their pending events and published events. */
async function everythingWritten(): Promise<string> {
  const names = (await platform.database.listCollections().toArray()).map(({ name }) => name);
  const stored = await Promise.all(
    names.map((name) => platform.database.collection(name).find({}).toArray()),
  );
  return JSON.stringify([stored, platform.events]);
}

const clsConfig = {
  connectionTemplate: 'postgres://app:{{ password@secret }}@{{ host }}/db',
  params: { 'password@secret': `${MARK}-1`, host: 'db' },
};
const rlsConfig = { rules: [{ ...TENANT_RULE, params: { 'key@secret': `${MARK}-2`, tenant: 'x' } }] };

describe('a secret value', () => {
  it('is shown as ***, and is in no document, event, response or error', async () => {
    const { origin, projectId } = project;
    const answers: unknown[] = [];
    const keep = async <T>(answer: Promise<T>): Promise<T> => {
      answers.push(await answer.catch((error: unknown) => JSON.stringify(error)));
      return answer;
    };
    const { definition } = await keep(project.define({ clsConfig, rlsConfig }));
    expect(definition.clsConfig?.params).toEqual({ 'password@secret': '***', host: 'db' });
    expect(definition.rlsConfig?.rules[0]?.params).toEqual({ 'key@secret': '***', tenant: 'x' });
    const params = { 'password@secret': `${MARK}-3`, 'list@secret': [`${MARK}-4`], plain: 'shown' };
    const { assignment } = await keep(
      project.assign(definition.id, { scopeType: 'TENANT', tenantId: 't_north', params }),
    );
    expect(assignment.params).toEqual({ 'password@secret': '***', 'list@secret': '***', plain: 'shown' });
    const { policy } = platform;
    const byDefinition = { projectId, definitionId: definition.id };
    const test = { name: 'T', actor: NORTH, sql: ORDERS, expect: { status: 'compiled' } } as const;
    const made = await keep(
      policy.tests.create.mutate(
        { ...byDefinition, ...test, runtimeParams: { 'run@secret': `${MARK}-5` } },
        { context: origin },
      ),
    );
    expect(made.data.test.runtimeParams).toEqual({ 'run@secret': '***' });
    const rules = [
      { ...TENANT_RULE, expression: 'tenant_id = {{ key@secret }}', params: { 'key@secret': `${MARK}-6` } },
    ];
    const tokenPolicyInput = { rls: { rules }, cls: { connectionTemplate: 'x{{ run@secret }}' } };
    const runtimeParams = { 'run@secret': `${MARK}-7` };
    const preview = await keep(
      project.preview({ actor: NORTH, runtimeParams, tokenPolicyInput, sql: ORDERS }),
    );
    expect(preview.compiled.status).toBe('denied');
    await keep(policy.tests.run.mutate(byDefinition, { context: origin }));
    await keep(policy.definitions.list.query({ projectId }, { context: origin }));
    await keep(policy.assignments.list.query({ projectId }, { context: origin }));
    await keep(
      policy.definitions.update.mutate(
        {
          ...byDefinition,
          clsConfig: { ...clsConfig, connectionTemplate: '{{ host }}' },
        },
        { context: origin },
      ),
    );
    await keep(
      policy.assignments.update.mutate(
        {
          projectId,
          assignmentId: assignment.id,
          params: { 'a@secret': `${MARK}-8` },
        },
        { context: origin },
      ),
    );
    await keep(
      policy.previews.lint.mutate({ projectId, connectionId: project.connectionId }, { context: origin }),
    );
    const faulty = { connectionTemplate: '{{ open', params: { 'b@secret': `${MARK}-9` } };
    const refusal = await platform.refusalOf(() => project.define({ clsConfig: faulty }));
    answers.push(refusal.toWire());
    await platform.eventsOf('management.policy_assignment.updated.v1', assignment.id);
    expect(JSON.stringify(answers)).not.toContain(MARK);
    expect(await everythingWritten()).not.toContain(MARK);
  });

  it('fills the connection template, shown as ***', async () => {
    const { definition } = await project.define({ clsConfig });
    await project.assign(definition.id, { scopeType: 'TENANT', tenantId: 't_north' });
    const { cls } = await project.preview({ actor: NORTH });
    expect(cls?.connectionString).toBe('postgres://app:***@db/db');
    expect(cls?.params['password@secret'] ?? '***').toBe('***');
  });

  it('is never in the condition of a rule: a rule that uses it denies', async () => {
    const rules = [{ ...TENANT_RULE, expression: 'tenant_id = {{ key@secret }}' }];
    const { definition } = await project.define({ rlsConfig: { rules } });
    await project.assign(definition.id, {
      scopeType: 'TENANT',
      tenantId: 't_north',
      params: { 'key@secret': MARK },
    });
    const { compiled } = await project.preview({ actor: NORTH, sql: ORDERS });
    expect(compiled).toMatchObject({ status: 'denied', sql: null });
  });

  it('is kept by an update with *** in its place', async () => {
    const { origin, projectId } = project;
    const { definition } = await project.define({ clsConfig, rlsConfig });
    const { clsConfig: shown, rlsConfig: shownRules } = definition;
    const change = { projectId, definitionId: definition.id };
    await platform.policy.definitions.update.mutate(
      {
        ...change,
        name: 'Renamed',
        clsConfig: shown,
        rlsConfig: shownRules,
      },
      { context: origin },
    );
    const stored = await platform.stores.definitions.get(projectId, definition.id);
    const opened = configsOf({ sealer: platform.sealer }, stored);
    expect(opened.clsConfig).toEqual(clsConfig);
    expect(opened.rlsConfig?.rules[0]?.params).toEqual(rlsConfig.rules[0]?.params);
    const params = { 'password@secret': `${MARK}-3`, plain: 'a' };
    const { assignment } = await project.assign(definition.id, { scopeType: 'ALL_TENANTS', params });
    const again = { 'password@secret': '***', plain: 'b' };
    await platform.policy.assignments.update.mutate(
      {
        projectId,
        assignmentId: assignment.id,
        params: again,
      },
      { context: origin },
    );
    const found = await platform.stores.assignments.get(projectId, assignment.id);
    expect(paramsOf({ sealer: platform.sealer }, found)).toEqual({
      'password@secret': `${MARK}-3`,
      plain: 'b',
    });
  });

  it('must be stored before *** can refer to it', async () => {
    const masked = { connectionTemplate: '{{ a@secret }}', params: { 'a@secret': '***' } };
    const made = await platform.refusalOf(() => project.define({ clsConfig: masked }));
    expect([made.code, fieldsOf(made)]).toEqual(['INVALID_REQUEST', ['clsConfig.params.a@secret']]);
    const { definition } = await project.define({ clsConfig });
    const change = { projectId: project.projectId, definitionId: definition.id, clsConfig: masked };
    const changed = await platform.refusalOf(() =>
      platform.policy.definitions.update.mutate(change, { context: project.origin }),
    );
    expect(fieldsOf(changed)).toEqual(['clsConfig.params.a@secret']);
    const assigned = await platform.refusalOf(() =>
      project.assign(definition.id, { scopeType: 'ALL_TENANTS', params: { 'a@secret': '***' } }),
    );
    expect(fieldsOf(assigned)).toEqual(['params.a@secret']);
  });

  it('cannot be opened for another record', async () => {
    const first = await project.define({ clsConfig });
    const second = await project.define({ clsConfig });
    const { projectId } = project;
    const stored = await platform.stores.definitions.get(projectId, first.definition.id);
    await platform.database
      .collection<{ _id: string }>('definitions')
      .updateOne({ _id: second.definition.id }, { $set: { configs: stored.configs } });
    const moved = await platform.stores.definitions.get(projectId, second.definition.id);
    expect(() => configsOf({ sealer: platform.sealer }, moved)).toThrow('authenticate');
  });
});

describe('a guess of a secret', () => {
  /** The responses to a correct guess and to a wrong one, without texts that differ randomly. */
  async function withGuesses(request: (guess: string) => Promise<unknown>): Promise<[unknown, unknown]> {
    const neutral = (result: unknown, guess: string) =>
      JSON.stringify(result)
        .replaceAll(guess, 'guess')
        .replaceAll(/usd_[\w-]+|usa_[\w-]+|"[\d-]+T[\d:.]+Z"/g, 'id');
    const right = neutral(await request(MARK), MARK);
    return [right, neutral(await request(`${MARK}x`), `${MARK}x`)];
  }
  const guessing = (guess: string) => ({
    connectionTemplate: 'postgres://app:{{ password@secret }}@db/db',
    params: { 'password@secret': guess },
  });
  const assigned = async () => {
    const { definition } = await project.define({ clsConfig: guessing(MARK) });
    await project.assign(definition.id, { scopeType: 'TENANT', tenantId: 't_north' });
    return definition;
  };

  it('is not confirmed by a draftAssignment without a conflict', async () => {
    await assigned();
    const { definition: other } = await project.define({
      clsConfig: { connectionTemplate: guessing('').connectionTemplate },
    });
    const [right, wrong] = await withGuesses((guess) =>
      project.preview({
        actor: NORTH,
        sql: ORDERS,
        draftAssignment: {
          definitionId: other.id,
          scopeType: 'TENANT',
          tenantId: 't_north',
          params: { 'password@secret': guess },
        },
      }),
    );
    expect(right).toBe(wrong);
    expect(right).toContain('CLS_CONFLICT');
  });

  it('is not confirmed by tokenPolicyInput', async () => {
    await assigned();
    const [right, wrong] = await withGuesses((guess) =>
      project.preview({ actor: NORTH, sql: ORDERS, tokenPolicyInput: { cls: guessing(guess) } }),
    );
    expect(right).toBe(wrong);
    expect(right).toContain('CLS_CONFLICT');
  });

  it('is not confirmed by a draftDefinition next to an assignment of the same rank', async () => {
    await assigned();
    const { definition: other } = await project.define({ clsConfig: guessing('other') });
    await project.assign(other.id, { scopeType: 'TENANT', tenantId: 't_north' });
    const [right, wrong] = await withGuesses((guess) =>
      platform.policy.previews.diff.mutate(
        {
          projectId: project.projectId,
          connectionId: project.connectionId,
          actor: NORTH,
          before: {},
          after: { draftDefinition: { definitionId: other.id, clsConfig: guessing(guess) } },
        },
        { context: project.origin },
      ),
    );
    expect(right).toBe(wrong);
    expect(right).toContain('CLS_CONFLICT');
  });

  it('is not confirmed by a lint warning', async () => {
    await assigned();
    const { origin, projectId, connectionId } = project;
    const [right, wrong] = await withGuesses(async (guess) => {
      const { definition } = await project.define({ clsConfig: guessing(guess) });
      const { assignment } = await project.assign(definition.id, {
        scopeType: 'TENANT',
        tenantId: 't_north',
      });
      const { warnings } = (
        await platform.policy.previews.lint.mutate({ projectId, connectionId }, { context: origin })
      ).data;
      await platform.policy.assignments.delete.mutate(
        { projectId, assignmentId: assignment.id },
        { context: origin },
      );
      await platform.policy.definitions.delete.mutate(
        { projectId, definitionId: definition.id },
        { context: origin },
      );
      return warnings;
    });
    expect(right).toBe(wrong);
  });

  it('is not confirmed by an update that keeps the version', async () => {
    for (const guess of [MARK, `${MARK}x`]) {
      const { id: definitionId, version } = await assigned();
      const { origin, projectId } = project;
      const change = { projectId, definitionId, clsConfig: guessing(guess) };
      const { definition } = (await platform.policy.definitions.update.mutate(change, { context: origin }))
        .data;
      expect(definition.version).toBe(version + 1);
      const shown = { ...change, clsConfig: definition.clsConfig };
      const again = (await platform.policy.definitions.update.mutate(shown, { context: origin })).data;
      expect(again.definition.version).toBe(definition.version);
    }
  });

  it('causes no conflict if both configs use the secret of the same request', async () => {
    for (let n = 0; n < 2; n += 1) {
      const { connectionTemplate } = guessing('');
      const { definition } = await project.define({ clsConfig: { connectionTemplate } });
      await project.assign(definition.id, { scopeType: 'TENANT', tenantId: 't_north' });
    }
    const runtimeParams = { 'password@secret': MARK };
    const { cls, compiled } = await project.preview({ actor: NORTH, runtimeParams });
    expect([cls?.connectionString, compiled.reasons]).toEqual(['postgres://app:***@db/db', []]);
  });
});
