import { findAnomalies, sampleOf } from '@gatehouse/testing';
import { usePlatform } from '@gatehouse/testing/platform';
import { newKey } from '@gatehouse/service';
import { expect, it } from 'vitest';
import { otherPrincipals } from '../testing/neighbours.js';
import { ORDERS, startPlatform, TENANT_RULE, type Project } from '../testing/platform.js';

const { platform } = await usePlatform(startPlatform);
const { policy, people } = platform;
people.tenant('t_north');

const EVERYBODY = { scopeType: 'ALL_TENANTS' } as const;
const NORTH = { scopeType: 'TENANT', tenantId: 't_north' } as const;
const ofAmount = (amount: number) => ({
  rlsConfig: { rules: [{ ...TENANT_RULE, name: `over ${amount}`, expression: `amount > ${amount}` }] },
});

/** A project with a rule for each tenant user, such as `nora`, and a second one without an assignment. */
interface World {
  project: Project;
  nora: string;
  used: string;
  unused: string;
  assignment: string;
}
type Operation = (world: World) => Promise<unknown>;

const by = ({ project }: World) => ({ context: project.origin });
const inTurn =
  (...operations: Operation[]): Operation =>
  async (world) => {
    for (const operation of operations) await operation(world);
    return 'done';
  };
const assign =
  (definition: 'used' | 'unused', actor: typeof EVERYBODY | typeof NORTH): Operation =>
  ({ project, ...ids }) =>
    project.assign(ids[definition], actor);
const unassign: Operation = async (world) => {
  const { project, assignment: assignmentId } = world;
  return policy.assignments.delete.mutate({ projectId: project.projectId, assignmentId }, by(world));
};
const change =
  (definition: 'used' | 'unused', amount: number): Operation =>
  async (world) => {
    const ids = { projectId: world.project.projectId, definitionId: world[definition] };
    return policy.definitions.update.mutate({ ...ids, ...ofAmount(amount) }, by(world));
  };
const removeUsed: Operation = async (world) => {
  const ids = { projectId: world.project.projectId, definitionId: world.used };
  return policy.definitions.delete.mutate(ids, by(world));
};
/** Sets whether the connection lets actors without an assignment read. */
const setUnassigned =
  (unassignedActors: 'deny' | 'allow'): Operation =>
  async ({ project }) => {
    const known = platform.connections.connections.get(project.connectionId);
    if (known === undefined) throw new Error('The project has no connection');
    const { connection } = known;
    known.connection = { ...connection, unassignedActors, version: connection.version + 1 };
  };
const deactivate: Operation = async ({ nora }) => {
  const user = people.users.get(nora);
  if (user !== undefined) people.users.set(nora, { ...user, isActive: false });
};
const replace: Operation = async (world) => {
  const { project, assignment: assignmentId, unused: definitionId } = world;
  const operations = [
    { op: 'create' as const, definitionId, ...EVERYBODY },
    { op: 'delete' as const, assignmentId },
  ];
  const batch = { projectId: project.projectId, mode: 'atomic' as const, operations };
  await policy.assignments.batch.mutate(batch, by(world));
  return 'done';
};

async function createWorld(): Promise<World> {
  const project = await platform.openProject();
  const nora = people.tenantUser(`nora_${newKey()}`, 't_north').userId;
  const { id: used } = (await project.define({ name: 'Used', ...ofAmount(1) })).definition;
  const { id: unused } = (await project.define({ name: 'Unused', ...ofAmount(2) })).definition;
  const { id: assignment } = (await project.assign(used, EVERYBODY)).assignment;
  const world = { project, nora, used, unused, assignment };
  await setUnassigned('allow')(world);
  return world;
}

const actorOf = ({ nora }: World) => ({ kind: 'TENANT_USER', tenantUserId: nora }) as const;
const compile: Operation = async ({ project, nora }) => {
  const { organizationId, projectId, connectionId } = project;
  const user = people.users.get(nora);
  const [bearer] = user === undefined ? [] : otherPrincipals(user, { organizationId, projectId });
  if (bearer === undefined) throw new Error('There is no such user');
  const request = { connectionId, statements: [{ sql: ORDERS }] };
  return policy.statements.compile.mutate(request, { context: await platform.as(bearer) });
};
const compileFor: Operation = async (world) => {
  const { organizationId, projectId, connectionId } = world.project;
  const token = { tokenType: 'compiler', tokenId: 'token', tokenExpiresAt: 4_000_000_000 } as const;
  const context = await platform.as({ kind: 'compiler', ...token, organizationId, projectId });
  const request = { connectionId, statements: [{ sql: ORDERS }], actor: actorOf(world) };
  return policy.statements.compile.mutate(request, { context });
};

/** The draft of an unused definition changes nothing, but its side reads more. */
const compare: Operation = async (world) => {
  const { projectId, connectionId } = world.project;
  const ground = { projectId, connectionId, actor: actorOf(world), sql: ORDERS };
  const draftDefinition = { definitionId: world.unused, slsConfig: null };
  return policy.previews.diff.mutate({ ...ground, before: {}, after: { draftDefinition } }, by(world));
};

const QUESTIONS: Record<string, Operation> = {
  'a preview': (world) => world.project.preview({ actor: actorOf(world), sql: ORDERS }),
  'a comparison': compare,
  'a compilation': compile,
  'a compilation for another user': compileFor,
};

/** Each changes what nora may read, and at no moment may she read without a rule. */
const CHANGES: Record<string, Operation> = {
  'another rule': change('used', 3),
  'a second assignment, then the end of the first': inTurn(assign('unused', NORTH), unassign),
  'a second assignment and the end of the first at once': replace,
  'another assignment, then the end of the first definition': inTurn(
    assign('unused', EVERYBODY),
    unassign,
    removeUsed,
  ),
  'another definition, rule by rule': inTurn(
    assign('unused', NORTH),
    change('used', 5),
    unassign,
    change('unused', 6),
  ),
  'the end of reading without an assignment, then of the assignment': inTurn(setUnassigned('deny'), unassign),
  'the end of the user, then of the assignment': inTurn(deactivate, unassign),
};

function textOf(value: unknown, { project, ...ids }: World): string {
  const { projectId, connectionId } = project;
  const names = Object.entries({ ...ids, projectId, connectionId });
  const text = JSON.stringify(value, (key, each: unknown) => (key.endsWith('At') ? undefined : each));
  return names
    .reduce((rest, [name, id]) => rest.replaceAll(id, name).replaceAll(id.toLowerCase(), name), text)
    .replaceAll(/"[a-z]{2,4}_[\w-]{16}"/g, '"another id"');
}

const pairs = Object.keys(QUESTIONS).flatMap((question) =>
  Object.keys(CHANGES).map((changed) => ({ question, changed })),
);

it.each(sampleOf(pairs, 8))(
  '$question during $changed is as before or after it',
  async ({ question, changed }) => {
    const found = await findAnomalies({
      createWorld,
      outer: QUESTIONS[question] as Operation,
      inner: CHANGES[changed] as Operation,
      stateOf: (world) => world.project.preview({ actor: actorOf(world), sql: ORDERS }),
      textOf,
    });
    expect(found.runs).toBeGreaterThan(0);
    expect(found).toEqual({ ...found, anomalies: [] });
  },
);
