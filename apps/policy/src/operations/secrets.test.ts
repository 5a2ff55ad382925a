import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  fieldsOf,
  ORDERS,
  startPlatform,
  TENANT_RULE,
  type Project,
  type TestPlatform,
} from '../testing/platform.js';
import { configsOf, paramsOf } from './storedFacts.js';

let mongo: TestMongo;
let platform: TestPlatform;
let project: Project;

beforeAll(async () => {
  mongo = await startTestMongo();
  platform = await startPlatform(mongo.databases);
  platform.people.tenant('t_north');
});
beforeEach(async () => {
  project = await platform.openProject();
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});

const NORTH = { kind: 'TENANT', tenantId: 't_north' } as const;
/** What every planted secret begins with. */
const MARK = 'planted-secret';

/** Everything that the service holds and has said: documents, their pending events and what was published. */
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
  it('is shown as ***, and stands in no document, event, answer or error', async () => {
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
      policy.tests.create(origin, { ...byDefinition, ...test, runtimeParams: { 'run@secret': `${MARK}-5` } }),
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
    await keep(policy.tests.run(origin, byDefinition));
    await keep(policy.definitions.list(origin, { projectId }));
    await keep(policy.assignments.list(origin, { projectId }));
    await keep(
      policy.definitions.update(origin, {
        ...byDefinition,
        clsConfig: { ...clsConfig, connectionTemplate: '{{ host }}' },
      }),
    );
    await keep(
      policy.assignments.update(origin, {
        projectId,
        assignmentId: assignment.id,
        params: { 'a@secret': `${MARK}-8` },
      }),
    );
    await keep(policy.previews.lint(origin, { projectId, connectionId: project.connectionId }));
    const faulty = { connectionTemplate: '{{ open', params: { 'b@secret': `${MARK}-9` } };
    const refusal = await platform.refusalOf(() => project.define({ clsConfig: faulty }));
    answers.push(refusal.toWire());
    await platform.eventsOf('management.policy_assignment.updated.v1', assignment.id);
    expect(JSON.stringify(answers)).not.toContain(MARK);
    expect(await everythingWritten()).not.toContain(MARK);
  });

  it('fills the connection template of who may have it, where it is shown as ***', async () => {
    const { definition } = await project.define({ clsConfig });
    await project.assign(definition.id, { scopeType: 'TENANT', tenantId: 't_north' });
    const { cls } = await project.preview({ actor: NORTH });
    expect(cls?.connectionString).toBe('postgres://app:***@db/db');
    expect(cls?.params['password@secret'] ?? '***').toBe('***');
  });

  it('is never in the condition of a rule: such a rule denies', async () => {
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

  it('is kept where *** comes back in its place', async () => {
    const { origin, projectId } = project;
    const { definition } = await project.define({ clsConfig, rlsConfig });
    const { clsConfig: shown, rlsConfig: shownRules } = definition;
    const change = { projectId, definitionId: definition.id };
    await platform.policy.definitions.update(origin, {
      ...change,
      name: 'Renamed',
      clsConfig: shown,
      rlsConfig: shownRules,
    });
    const stored = await platform.stores.definitions.get(projectId, definition.id);
    const opened = configsOf({ sealer: platform.sealer }, stored);
    expect(opened.clsConfig).toEqual(clsConfig);
    expect(opened.rlsConfig?.rules[0]?.params).toEqual(rlsConfig.rules[0]?.params);
    const params = { 'password@secret': `${MARK}-3`, plain: 'a' };
    const { assignment } = await project.assign(definition.id, { scopeType: 'ALL_TENANTS', params });
    const again = { 'password@secret': '***', plain: 'b' };
    await platform.policy.assignments.update(origin, {
      projectId,
      assignmentId: assignment.id,
      params: again,
    });
    const found = await platform.stores.assignments.get(projectId, assignment.id);
    expect(paramsOf({ sealer: platform.sealer }, found)).toEqual({
      'password@secret': `${MARK}-3`,
      plain: 'b',
    });
  });

  it('that was never stored cannot be meant by ***', async () => {
    const masked = { connectionTemplate: '{{ a@secret }}', params: { 'a@secret': '***' } };
    const made = await platform.refusalOf(() => project.define({ clsConfig: masked }));
    expect([made.code, fieldsOf(made)]).toEqual(['INVALID_REQUEST', ['clsConfig.params.a@secret']]);
    const { definition } = await project.define({ clsConfig });
    const change = { projectId: project.projectId, definitionId: definition.id, clsConfig: masked };
    const changed = await platform.refusalOf(() =>
      platform.policy.definitions.update(project.origin, change),
    );
    expect(fieldsOf(changed)).toEqual(['clsConfig.params.a@secret']);
    const assigned = await platform.refusalOf(() =>
      project.assign(definition.id, { scopeType: 'ALL_TENANTS', params: { 'a@secret': '***' } }),
    );
    expect(fieldsOf(assigned)).toEqual(['params.a@secret']);
  });

  it('does not open in the place of another record', async () => {
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
