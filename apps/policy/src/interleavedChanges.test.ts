import { findAnomalies, sampleOf } from '@gatehouse/testing';
import { usePlatform } from '@gatehouse/testing/platform';
import { newKey } from '@gatehouse/service';
import { expect, it } from 'vitest';
import { ORDERS, startPlatform, TENANT_RULE, type Project } from './testing/platform.js';

const { platform } = await usePlatform(startPlatform);
const { policy, people } = platform;
people.tenant('t_north');
people.tenant('t_south');

const NORTH = { scopeType: 'TENANT', tenantId: 't_north' } as const;
const SOUTH = { scopeType: 'TENANT', tenantId: 't_south' } as const;

/** A project with a definition that is assigned and tested, and one without an assignment. */
interface World {
  project: Project;
  nora: string;
  used: string;
  unused: string;
  assignment: string;
  test: string;
}
type Operation = (world: World) => Promise<unknown>;

async function createWorld(): Promise<World> {
  const project = await platform.openProject();
  const nora = people.tenantUser(`nora_${newKey()}`, 't_north').userId;
  const { id: used } = (await project.define({ name: 'Used' })).definition;
  const { id: unused } = (await project.define({ name: 'Unused' })).definition;
  const { id: assignment } = (await project.assign(used, NORTH)).assignment;
  const { projectId, origin } = project;
  const actor = { kind: 'TENANT_USER', tenantUserId: nora } as const;
  const fields = { name: 'Orders', actor, sql: ORDERS, expect: { tables: ['orders'] } };
  const test = { projectId, definitionId: used, ...fields };
  const created = (await policy.tests.create.mutate(test, { context: origin })).data.test;
  return { project, nora, used, unused, assignment, test: created.id };
}

const by = ({ project }: World) => ({ context: project.origin });
const inProject = ({ project: { projectId } }: World) => ({ projectId });
const ofAmount = (amount: number) => ({
  rlsConfig: { rules: [{ ...TENANT_RULE, name: `over ${amount}`, expression: `amount > ${amount}` }] },
});

const change = (fields: object): Operation => {
  return async (world) => {
    const input = { ...inProject(world), definitionId: world.used, ...fields };
    return policy.definitions.update.mutate(input, by(world));
  };
};
const move = (fields: object): Operation => {
  return async (world) => {
    const input = { ...inProject(world), assignmentId: world.assignment, ...fields };
    return policy.assignments.update.mutate(input, by(world));
  };
};
const remove = (name: 'used' | 'unused'): Operation => {
  return async (world) =>
    policy.definitions.delete.mutate({ ...inProject(world), definitionId: world[name] }, by(world));
};

const OPERATIONS: Record<string, Operation> = {
  'a new definition': ({ project }) => project.define({ name: 'New' }),
  'another name': change({ name: 'New' }),
  'another rule': change(ofAmount(3)),
  'a rule that the tests admit': change({ ...ofAmount(4), runTests: true }),
  'the deletion of a definition with an assignment': remove('used'),
  'the deletion of a definition': remove('unused'),
  'an assignment': ({ project, unused }) => project.assign(unused, NORTH),
  'the same assignment for another tenant': ({ project, used }) => project.assign(used, SOUTH),
  'an assignment to one user': ({ project, unused, nora }) =>
    project.assign(unused, { scopeType: 'TENANT_USER', tenantUserId: nora }),
  'an assignment to another tenant': move(SOUTH),
  'a value of an assignment': move({ params: { limit: 5 } }),
  'the end of an assignment': async (world) =>
    policy.assignments.delete.mutate({ ...inProject(world), assignmentId: world.assignment }, by(world)),
  'an exchange of assignments': async (world) => {
    const operations = [
      { op: 'create' as const, definitionId: world.unused, ...SOUTH },
      { op: 'delete' as const, assignmentId: world.assignment },
    ];
    return policy.assignments.batch.mutate({ ...inProject(world), mode: 'atomic', operations }, by(world));
  },
  'another test': async (world) => {
    const ids = { ...inProject(world), definitionId: world.used, testId: world.test };
    return policy.tests.update.mutate({ ...ids, name: 'All orders' }, by(world));
  },
  'the end of a test': async (world) => {
    const ids = { ...inProject(world), definitionId: world.used, testId: world.test };
    return policy.tests.delete.mutate(ids, by(world));
  },
};

/** All that an ADMIN reads. The tests of a deleted definition are removed later. */
async function stateOf(world: World): Promise<unknown> {
  const { data: definitions } = await policy.definitions.list.query(inProject(world), by(world));
  const { data: assignments } = await policy.assignments.list.query(inProject(world), by(world));
  const tests = definitions.map(({ definition: { id } }) =>
    policy.tests.list.query({ ...inProject(world), definitionId: id }, by(world)),
  );
  const actor = { kind: 'TENANT_USER', tenantUserId: world.nora } as const;
  const preview = await world.project.preview({ actor, sql: ORDERS });
  return { definitions, assignments, tests: await Promise.all(tests), preview };
}

function textOf(value: unknown, { project: { projectId, connectionId }, ...ids }: World): string {
  const names = Object.entries({ ...ids, projectId, connectionId });
  // Warnings and the number of assignments are read after the write.
  const text = JSON.stringify(value, (key, each: unknown) =>
    /At$|^warnings$|^assignmentCount$/.test(key) ? undefined : each,
  );
  return names
    .reduce((rest, [name, id]) => rest.replaceAll(id, name).replaceAll(id.toLowerCase(), name), text)
    .replaceAll(/"[a-z]{2,4}_[\w-]{16}"/g, '"another id"');
}

/** Pairs with effects of neither order that are right, by their outer operation. */
const OTHERS: Record<string, string> = {
  // The tests run before the write. An assignment that is moved in between is not tested, as one after it.
  'a rule that the tests admit': 'an assignment to another tenant',
  // Either operation of a batch may find that the other batch was first.
  'an exchange of assignments': 'an exchange of assignments',
};

const names = Object.keys(OPERATIONS);
const pairs = names
  .flatMap((outer) => names.map((inner) => ({ outer, inner })))
  .filter(({ outer, inner }) => OTHERS[outer] !== inner);

it.each(sampleOf(pairs, 24))('$outer during $inner is as before or after it', async ({ outer, inner }) => {
  const both = { outer: OPERATIONS[outer] as Operation, inner: OPERATIONS[inner] as Operation };
  const found = await findAnomalies({ createWorld, ...both, stateOf, textOf });
  expect(found.runs).toBeGreaterThan(0);
  expect(found).toEqual({ ...found, anomalies: [] });
});
