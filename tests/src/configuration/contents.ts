import type { Organization } from '@gatehouse/testing';
import fc from 'fast-check';
import { succeeded, type Api } from '../api.js';
import type { BuiltOrganization } from '../organizations/build.js';
import type { Plan } from '../organizations/plan.js';

/** What records contain beside what access depends on. */
export interface ContentSeed {
  texts: string[];
  values: unknown[];
  flags: boolean[];
}

/** Texts that YAML, markers or secrets could confuse. */
const HARD_TEXTS = [
  '${visual:x}',
  '$${y}',
  '${',
  '${env:X}',
  'a: b',
  '# c',
  '- d',
  'null',
  'true',
  '1e3',
  '~',
];
const texts = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 10 }),
  fc.constantFrom(...HARD_TEXTS, ' x ', '"', "'", '\n\tx\n', '2026-01-01', 'Ünïcode 報告'),
);
const values = fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes('__proto__'));
export const contentSeeds: fc.Arbitrary<ContentSeed> = fc.record({
  texts: fc.array(texts, { minLength: 7, maxLength: 7 }),
  values: fc.array(values, { minLength: 3, maxLength: 3 }),
  flags: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
});

const pick = <T>(items: readonly T[], index: number): T | undefined => items[index % items.length];

/** The plan with descriptions, tags, departments and further content. */
export function withContents(plan: Plan, { texts: words, values: parts, flags }: ContentSeed): Plan {
  const word = (index: number) => pick(words, index) ?? '';
  const users = Object.entries(plan.users).map(([name, user], index) => {
    const fields = { name: `Name ${word(index)}`, department: word(index + 1) };
    return [name, { ...user, fields }] as const;
  });
  const resources = Object.entries(plan.resources).map(([name, resource], index) => {
    const fields = {
      description: word(index),
      tags: [...new Set([`tag ${word(index + 1)}`, `tag ${word(index + 2)}`])],
      ...(resource.type === 'dashboard' && { isDataApp: pick(flags, index) === true }),
    };
    const content =
      pick(flags, index + 1) === true ? {} : { text: word(index + 3), value: pick(parts, index) };
    return [name, { ...resource, fields, content }] as const;
  });
  return { ...plan, users: Object.fromEntries(users), resources: Object.fromEntries(resources) };
}

interface Id {
  id: string;
}

/**
 * Creates records of the other kinds in the first project, and sets what tenants and groups have beside their
 * users.
 */
export async function buildContents(
  { api, built, model }: { api: Api; built: BuiltOrganization; model: Organization },
  { texts: words, flags }: ContentSeed,
): Promise<void> {
  const { admin, project } = api;
  const [first = '', second = '', third = ''] = words;
  const create = async <T>(path: string, body: object) => succeeded(await admin.post<T>(path, body));
  for (const [name, id] of Object.entries(built.tenants)) {
    const heir = Object.keys(model.users).find((user) => model.users[user]?.tenant === name);
    if (heir === undefined) continue;
    succeeded(await admin.patch(`/tenants/${id}`, { defaultOwnerId: built.users[heir]?.id }));
  }
  for (const id of Object.values(built.groups))
    succeeded(await admin.patch(`/groups/${id}`, { description: first }));
  const { connection } = await create<{ connection: Id }>('/api/v1/connections', {
    name: `Source ${second}`,
    type: 'static',
    config: { dialect: pick(['postgres', 'mysql', 'sqlite'], first.length) },
    rowBarrier: flags[0],
    unassignedActors: flags[1] === true ? 'allow' : 'deny',
    ...(flags[2] === true && { catalog: { schemas: [] } }),
  });
  const dataset = { name: 'orders', table: 'orders', description: first };
  const { domain } = await create<{ domain: Id }>('/api/v1/domains', {
    name: 'sales',
    label: `Label ${third}`,
    description: second,
  });
  const template = {
    datasets: [{ ...dataset, connectionId: connection.id }],
    calculatedFields: [{ dataset: 'orders', name: 'twice', expression: 'id * 2' }],
  };
  succeeded(await admin.put(`/api/v1/domains/${domain.id}/template`, template));
  await create('/api/v1/datamodels', {
    name: `Model ${first}`,
    description: third,
    connectionId: connection.id,
    ...(flags[3] === true && { template: { datasets: [dataset] } }),
  });
  const profile = { name: `Profile ${second}`, description: first, instructions: third };
  await create('/api/v1/assistant-profiles', profile);
  await create('/webhooks', {
    url: 'https://127.0.0.1:9/a',
    description: first,
    eventTypes: ['management.tenant.deleted.v1'],
    projectId: flags[4] === true ? project.projectId : null,
    isEnabled: flags[3],
  });
}
