import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { newKey } from '@gatehouse/service';
import { fieldsOf, ORDERS, startPlatform, type Project } from '../testing/platform.js';
import { BYTES_MAX } from './logic/byteBudget.js';

const { platform } = await usePlatform(startPlatform);
let project: Project;
beforeEach(async () => {
  project = await platform.openProject();
});

const written = { events: [], now: new Date() };

/** Stores a definition of one rule with this much text, as earlier requests would have. */
async function defineLarge(bytes: number): Promise<string> {
  const { projectId, connectionId, organizationId } = project;
  const id = `usd_${newKey()}`;
  const rule = { matcher: { type: 'SCHEMA', schema: 'public' }, expression: 'true', enabled: true };
  const rlsConfig = { rules: [{ ...rule, description: '-'.repeat(bytes) }] };
  const shown = JSON.stringify({ clsConfig: null, slsConfig: null, rlsConfig });
  const place = { _id: id, organizationId, createdBy: null, connectionId };
  const named = { name: id, nameFolded: id, configs: { shown, sealedSecrets: null } };
  await platform.stores.definitions.insert(projectId, { ...place, ...named }, written);
  return id;
}

async function assignTo(tenantId: string, definitionId: string): Promise<void> {
  const { projectId, connectionId, organizationId } = project;
  const tenant = platform.people.tenants.get(tenantId) ?? platform.people.tenant(tenantId);
  const ofDefinition = { organizationId, createdBy: null, definitionId, connectionId, params: null };
  const actor = { scopeType: 'TENANT' as const, actorId: tenantId, actorKey: tenant.key };
  const document = { _id: `usa_${newKey()}`, ...ofDefinition, ...actor };
  await platform.stores.assignments.insert(projectId, document, written);
}

type CoveragePage = Awaited<ReturnType<typeof platform.policy.previews.coverage.query>>['data'];

const tenantOf = ({ actor }: Pick<CoveragePage['actors'][number], 'actor'>) =>
  'tenantId' in actor ? actor.tenantId : null;

/** All pages of coverage. */
async function readPages({ projectId, connectionId, origin }: Project): Promise<CoveragePage[]> {
  const pages: CoveragePage[] = [];
  let cursor: string | undefined;
  do {
    const input = { projectId, connectionId, ...(cursor === undefined ? {} : { cursor }) };
    const page = await platform.policy.previews.coverage.query(input, { context: origin });
    pages.push(page.data);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && pages.length < 5);
  return pages;
}

describe('an actor with more policies than are read for one request', () => {
  const NORTH = { kind: 'TENANT', tenantId: 't_north' } as const;
  beforeEach(async () => {
    for (let index = 0; index < 5; index += 1) await assignTo('t_north', await defineLarge(BYTES_MAX / 4));
  });

  it('has no preview and no coverage, instead of those of some of the policies', async () => {
    const { projectId, connectionId, origin } = project;
    const covered = { projectId, connectionId, tenantId: 't_north' };
    for (const call of [
      () => project.preview({ actor: NORTH, sql: ORDERS }),
      () => platform.policy.previews.coverage.query(covered, { context: origin }),
    ]) {
      const refusal = await platform.refusalOf(call);
      expect([refusal.code, fieldsOf(refusal)]).toEqual(['INVALID_REQUEST', ['connectionId']]);
    }
  });

  it('is named by the coverage of all actors, which goes on with the others', async () => {
    const small = (await project.define()).definition.id;
    for (const tenantId of ['t_before', 't_after']) await assignTo(tenantId, small);
    // Actors come in the order of their keys, which are random.
    const pages = await readPages(project);
    const names = ({ actors }: CoveragePage) => actors.map(tenantOf);
    expect(new Set(pages.flatMap(names))).toEqual(new Set(['t_before', 't_after']));
    const omitted = pages.flatMap((page) => page.omitted ?? []);
    expect(omitted.map(tenantOf)).toEqual(['t_north']);
    expect(omitted[0]?.reason).toBe(
      'On this connection the definitions and assignments of the actor must have 16777216 bytes or fewer: ' +
        'assign fewer or smaller definitions.',
    );
  });

  it('may get a further definition, whose warnings consider that one alone', async () => {
    const { projectId, origin } = project;
    const { definition } = await project.define({ slsConfig: { schema: 'a', allowedSchemas: ['b'] } });
    const { warnings } = await project.assign(definition.id, { scopeType: 'TENANT', tenantId: 't_north' });
    expect(warnings.map(({ code }) => code)).toEqual(['DEFAULT_SCHEMA_NOT_ALLOWED']);
    const input = { projectId, definitionId: definition.id };
    const linted = await platform.policy.previews.lint.mutate(input, { context: origin });
    expect(linted.data.warnings.map(({ code }) => code)).toEqual(['DEFAULT_SCHEMA_NOT_ALLOWED']);
  });
});

it('ends a page of coverage before the actors whose policies are too large together', async () => {
  const tenants = ['t_a', 't_b', 't_c', 't_d', 't_e'];
  for (const tenantId of tenants) await assignTo(tenantId, await defineLarge(BYTES_MAX / 4));
  const pages = (await readPages(project)).map(({ actors }) => actors.map(tenantOf));
  expect(pages.map((page) => page.length)).toEqual([3, 2]);
  expect(new Set(pages.flat())).toEqual(new Set(tenants));
});

it('counts assignments without a value as at least those that were read', async () => {
  const { definition } = await project.define();
  for (let index = 0; index < 201; index += 1) await assignTo(`t_${index}`, definition.id);
  const { warnings } = await project.assign(definition.id, {
    scopeType: 'ALL_TENANTS',
    params: { tenant: 'x' },
  });
  expect(warnings).toEqual([]);
  const { projectId, origin } = project;
  const input = { projectId, definitionId: definition.id };
  const { data } = await platform.policy.previews.lint.mutate(input, { context: origin });
  expect(data.warnings.map(({ message }) => message)).toEqual([
    expect.stringMatching(/nor at least 200 of the assignments give a value to tenant: /),
  ]);
});
