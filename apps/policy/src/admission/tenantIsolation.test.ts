import type { PolicyActor } from '@gatehouse/contract';
import fc from 'fast-check';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeAll, describe, expect, it } from 'vitest';
import { startPlatform, TENANT_RULE } from '../testing/platform.js';

const { platform } = await usePlatform(startPlatform);
beforeAll(() => {
  for (const tenant of TENANTS) {
    platform.people.tenant(tenant);
    for (const number of [1, 2]) platform.people.tenantUser(`${tenant}_user${number}`, tenant);
  }
  for (const id of ORG_USERS) platform.people.orgUser(id, 'AUTHOR');
});

const TENANTS = ['t_a', 't_b', 't_c'];
const ORG_USERS = ['ou_x', 'ou_y'];
const ACTORS: PolicyActor[] = [
  { kind: 'ALL_TENANTS' },
  ...ORG_USERS.map((orgUserId) => ({ kind: 'ORG_USER', orgUserId }) as const),
  ...TENANTS.flatMap((tenantId) => [
    { kind: 'TENANT', tenantId } as const,
    { kind: 'TENANT_USER', tenantUserId: `${tenantId}_user1` } as const,
    { kind: 'TENANT_USER', tenantUserId: `${tenantId}_user2` } as const,
  ]),
];

/** The actors whose assignments apply to an actor, defined independently of the tested code. */
function reaching(actor: PolicyActor): PolicyActor[] {
  if (actor.kind !== 'TENANT_USER') {
    return actor.kind === 'TENANT' ? [{ kind: 'ALL_TENANTS' }, actor] : [actor];
  }
  const tenantId = actor.tenantUserId.replace(/_user\d$/, '');
  return [{ kind: 'ALL_TENANTS' }, { kind: 'TENANT', tenantId }, actor];
}

const nameOf = (actor: PolicyActor) => Object.values(actor).join('-');
const toAssignment = ({ kind, ...id }: PolicyActor) => ({ scopeType: kind, ...id }) as never;

const CONFIGS = [
  { rlsConfig: { rules: [{ ...TENANT_RULE, expression: 'tenant_id = {{ value }}' }] } },
  { rlsConfig: { rules: [{ ...TENANT_RULE, expression: 'tenant_id = ANY({{ list }}) or amount > 0' }] } },
  { slsConfig: { schemaTemplate: '{{ schema }}' } },
  { clsConfig: { connectionTemplate: 'postgres://{{ value }}@db/{{ schema }}' } },
  { clsConfig: { filePathTemplates: { sales: '{{ schema }}.csv' } } },
];

/** Values that are unique to each assignment. */
function valuesOf(definition: number, actor: PolicyActor) {
  const mark = `of_${definition}_${nameOf(actor).replaceAll('-', '_')}_end`;
  return { mark, params: { value: mark, list: [mark, `${mark}2`], schema: mark } };
}

const assigned = fc.uniqueArray(
  fc.record({ definition: fc.nat(CONFIGS.length - 1), actor: fc.constantFrom(...ACTORS) }),
  { selector: ({ definition, actor }) => `${definition} ${nameOf(actor)}`, minLength: 4, maxLength: 16 },
);

describe('the preview of an actor', () => {
  it('never contains a value of an assignment that does not apply', async () => {
    await fc.assert(
      fc.asyncProperty(assigned, async (assignments) => {
        const project = await platform.openProject();
        const ids: string[] = [];
        for (const config of CONFIGS) ids.push((await project.define(config)).definition.id);
        for (const { definition, actor } of assignments) {
          const { params } = valuesOf(definition, actor);
          await project.assign(ids[definition] ?? '', {
            ...(toAssignment(actor) as object),
            params,
          } as never);
        }
        for (const actor of ACTORS) {
          const text = JSON.stringify([
            await project.preview({ actor, sql: 'select * from orders join customers using (tenant_id)' }),
            await project.preview({ actor, referencedEntities: [{ table: 'orders' }] }),
          ]);
          const reached = reaching(actor).map(nameOf);
          const leaked = assignments
            .filter((each) => !reached.includes(nameOf(each.actor)))
            .filter((each) => text.includes(valuesOf(each.definition, each.actor).mark));
          expect(leaked).toEqual([]);
          const rules = assignments.filter(
            (each) => each.definition < 2 && reached.includes(nameOf(each.actor)),
          );
          for (const rule of rules) expect(text).toContain(valuesOf(rule.definition, rule.actor).mark);
        }
      }),
      { numRuns: 12 },
    );
  });
});
