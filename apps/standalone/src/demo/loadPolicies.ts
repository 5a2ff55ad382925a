import type { Client } from '@gatehouse/client';
import type { FindId } from './loadPeople.js';
import { demoDefinitions, type DemoDefinition } from './policies.js';

export interface PolicyParts {
  admin: Client;
  projectId: string;
  connectionId: string;
  findId: FindId;
  /** The port of the database, which a template names. */
  port: number;
}

/** Creates the policy definitions and assignments of a project that do not exist. */
export async function loadPolicies(parts: PolicyParts): Promise<void> {
  const { admin, projectId } = parts;
  const [{ data: definitions }, { data: assignments }] = await Promise.all([
    admin.listPolicyDefinitions({ projectId }),
    admin.listPolicyAssignments({ projectId }),
  ]);
  const loads = demoDefinitions(parts.port).map(async (definition) => {
    const present = definitions.find((item) => item.definition.name === definition.name);
    const definitionId = present?.definition.id ?? (await createDefinition(definition, parts));
    const assigned = assignments.filter((item) => item.definition.id === definitionId);
    await loadAssignments(definition, { ...parts, definitionId, count: assigned.length });
  });
  await Promise.all(loads);
}

/** Creates the policy tests of a project that do not exist. */
export async function loadPolicyTests({
  admin,
  projectId,
}: Pick<PolicyParts, 'admin' | 'projectId'>): Promise<void> {
  const { data: definitions } = await admin.listPolicyDefinitions({ projectId });
  const loads = demoDefinitions(0).map(async ({ name, tests }) => {
    const definitionId = definitions.find((item) => item.definition.name === name)?.definition.id;
    if (tests.length === 0 || definitionId === undefined) return;
    const { data: known } = await admin.listPolicyTests({ projectId, definitionId });
    const missing = tests.filter((test) => known.every((present) => present.name !== test.name));
    for (const test of missing) await admin.createPolicyTest({ projectId, definitionId, ...test });
  });
  await Promise.all(loads);
}

async function createDefinition(
  { name, configs }: DemoDefinition,
  { admin, projectId, connectionId }: PolicyParts,
): Promise<string> {
  const { data } = await admin.createPolicyDefinition({ projectId, connectionId, name, ...configs });
  return data.definition.id;
}

/** Assignments have no name: they are created in order, so that their number shows which are missing. */
async function loadAssignments(
  { assignments }: DemoDefinition,
  { admin, projectId, definitionId, findId, count }: PolicyParts & { definitionId: string; count: number },
): Promise<void> {
  for (const { orgUser, ...assignment } of assignments.slice(count)) {
    const actor = orgUser === undefined ? {} : { orgUserId: findId(orgUser) };
    await admin.createPolicyAssignment({ projectId, definitionId, ...assignment, ...actor });
  }
}

/** Lets the template that names the database follow its port. */
export async function movePolicies({
  admin,
  projectId,
  port,
}: Pick<PolicyParts, 'admin' | 'projectId' | 'port'>): Promise<void> {
  const { data: definitions } = await admin.listPolicyDefinitions({ projectId });
  for (const { name, configs } of demoDefinitions(port)) {
    const present = definitions.find((item) => item.definition.name === name)?.definition;
    const template = configs.clsConfig?.connectionTemplate;
    if (present === undefined || present.clsConfig?.connectionTemplate === template) continue;
    await admin.updatePolicyDefinition({ projectId, definitionId: present.id, ...configs });
  }
}
