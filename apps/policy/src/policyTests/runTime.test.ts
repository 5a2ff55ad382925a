import { newKey } from '@gatehouse/service';
import { usePlatform } from '@gatehouse/testing/platform';
import { expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';

const { platform } = await usePlatform(startPlatform);
const written = { events: [], now: new Date() };

it('ends a run whose policies take too long to resolve, and reports the tests not run', async () => {
  const { projectId, organizationId, connectionId, origin, ...project } = await platform.openProject();
  const { definition } = await project.define();
  const made = { organizationId, createdBy: null };
  // The policies of the actor take about a second for each test.
  const matcher = { type: 'SCHEMA', schema: 'public' };
  const expression = `tenant_id <> '${'x'.repeat(9000)}'`;
  const rules = Array.from({ length: 150 }, () => ({ matcher, expression, enabled: true }));
  const shown = JSON.stringify({ clsConfig: null, slsConfig: null, rlsConfig: { rules } });
  for (let index = 0; index < 4; index += 1) {
    const id = `usd_${newKey()}`;
    const named = { name: id, nameFolded: id, configs: { shown, sealedSecrets: null } };
    await platform.stores.definitions.insert(
      projectId,
      { _id: id, ...made, connectionId, ...named },
      written,
    );
    await project.assign(id, { scopeType: 'ALL_TENANTS' });
  }
  for (let index = 100; index < 300; index += 1) {
    const content = { sql: 'select 1', runtimeParams: null, sampleData: null, expectation: '{"tables":[]}' };
    const named = { name: `Test ${index}`, nameFolded: `test ${index}` };
    const test = { _id: `ust_${newKey()}`, ...made, definitionId: definition.id, ...named, ...content };
    const actor = { kind: 'ALL_TENANTS' as const };
    await platform.stores.tests.insert(projectId, { ...test, actor }, written);
  }
  const input = { projectId, definitionId: definition.id };
  const { data } = await platform.policy.tests.run.mutate(input, { context: origin });
  const notRun = data.outcomes.filter(({ failures }) => failures[0]?.startsWith('The test was not run'));
  expect(data.outcomes.map(({ name }) => name)).toEqual(
    Array.from({ length: 200 }, (_, index) => `Test ${index + 100}`),
  );
  expect(notRun[0]?.failures).toEqual(['The test was not run: those before it took 8 seconds.']);
  expect(notRun.length).toBeGreaterThan(50);
  expect(notRun.length).toBeLessThan(200);
});
