import { invalidField, type LintWarning } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { lintPolicies } from '../logic/lint/lintPolicies.js';
import type { LintAssignment, LintDefinition } from '../logic/lint/model.js';
import type { PolicyConfigs } from '../logic/secretParams.js';
import type { Answer, Input, Policy } from '../policy.js';
import type { AssignmentDocument, DefinitionDocument } from '../store/documents.js';
import { factsKey } from './candidates.js';
import { changeConfigs } from './configChanges.js';
import type { DescribedConnection } from './connections.js';
import { orUnavailable } from './definitionChecks.js';
import { configsOf, definitionFacts, paramsOf } from './storedFacts.js';
import { NO_DEFINITION, requireProjectAdmin, unknownReference } from './refusals.js';

/** A definition, stored or not; the id is null for one that is not stored and stays so. */
type Linted = PolicyConfigs & { id: string | null; name: string };

/** What is linted: some definitions of a connection, with assignments that they are judged beside. */
interface LintScope {
  described: DescribedConnection;
  definitions: readonly Linted[];
  assignments: readonly AssignmentDocument[];
}

/** A definition may have very many: those that came first tell enough on a save. */
const ASSIGNMENTS_ON_SAVE = 200;

async function withConditions(
  { engineOf }: Pick<Policy, 'engineOf'>,
  definition: Linted,
  dialect: DescribedConnection['connection']['dialect'],
): Promise<LintDefinition> {
  const engine = engineOf(dialect);
  const rules = definition.rlsConfig?.rules ?? [];
  const conditions = rules.map(({ expression }) =>
    orUnavailable(engine.analyzeExpression(expression, dialect)),
  );
  return { ...definition, conditions: await Promise.all(conditions) };
}

async function lint(
  policy: Pick<Policy, 'engineOf' | 'sealer'>,
  { described, definitions, assignments }: LintScope,
): Promise<LintWarning[]> {
  const { connection, catalog } = described;
  const { dialect } = connection;
  const analyzed = definitions.map((definition) => withConditions(policy, definition, dialect));
  const toLint = (assignment: AssignmentDocument): LintAssignment => {
    const { _id: id, definitionId, scopeType, actorKey } = assignment;
    return {
      id,
      definitionId,
      scopeType,
      actorKey: factsKey(actorKey),
      params: paramsOf(policy, assignment),
    };
  };
  return lintPolicies({
    dialect,
    catalog,
    definitions: await Promise.all(analyzed),
    assignments: assignments.map(toLint),
  });
}

/** The definitions of assignments, with some as they are given in place of the stored ones. */
async function definitionsOf(
  policy: Policy,
  assignments: readonly AssignmentDocument[],
  given: { projectId: string; definitions: readonly Linted[] },
): Promise<Linted[]> {
  const known = new Set(given.definitions.map(({ id }) => id));
  const ids = new Set(assignments.map(({ definitionId }) => definitionId).filter((id) => !known.has(id)));
  const stored = await policy.stores.definitions.listByIds(given.projectId, [...ids]);
  return [...given.definitions, ...stored.map((each) => definitionFacts(policy, each))];
}

/** Warnings about one definition, beside the other assignments of those to whom it is assigned. */
export async function lintDefinition(
  policy: Policy,
  {
    projectId,
    described,
    definition,
  }: { projectId: string; described: DescribedConnection; definition: Linted },
): Promise<LintWarning[]> {
  const { id } = definition;
  const { assignments: store } = policy.stores;
  const own = id === null ? [] : await store.listOfDefinition(projectId, id, ASSIGNMENTS_ON_SAVE);
  const keys = [...new Set(own.map(({ actorKey }) => actorKey))];
  const assignments = await store.listCandidates(projectId, described.connection.id, keys);
  const definitions = await definitionsOf(policy, assignments, { projectId, definitions: [definition] });
  const warnings = await lint(policy, { described, definitions, assignments });
  return warnings.filter(({ definitionId }) => definitionId === id);
}

/** Warnings about one assignment, and about its definition, beside the other assignments of its actor. */
export async function lintAssignment(
  policy: Policy,
  {
    described,
    definition,
    assignment,
  }: {
    described: DescribedConnection;
    definition: DefinitionDocument;
    assignment: AssignmentDocument;
  },
): Promise<LintWarning[]> {
  const { projectId, connectionId, actorKey } = assignment;
  const assignments = await policy.stores.assignments.listCandidates(projectId, connectionId, [actorKey]);
  const given = { projectId, definitions: [definitionFacts(policy, definition)] };
  const definitions = await definitionsOf(policy, assignments, given);
  const warnings = await lint(policy, { described, definitions, assignments });
  return warnings.filter(({ assignmentId, definitionId }) =>
    assignmentId === null ? definitionId === definition._id : assignmentId === assignment._id,
  );
}

async function lintConnection(policy: Policy, projectId: string, described: DescribedConnection) {
  const { id } = described.connection;
  const [definitions, assignments] = await Promise.all([
    policy.stores.definitions.listOfConnection(projectId, id),
    policy.stores.assignments.listOfConnection(projectId, id),
  ]);
  return lint(policy, {
    described,
    definitions: definitions.map((each) => definitionFacts(policy, each)),
    assignments,
  });
}

async function lintStored(
  policy: Policy,
  { projectId, connectionId, definitionId, ...change }: Input<'previews', 'lint'> & { definitionId: string },
  context: CallContext,
): Promise<LintWarning[]> {
  const document = await policy.stores.definitions.find(projectId, definitionId);
  if (!document) throw unknownReference('definitionId', NO_DEFINITION);
  if (connectionId !== undefined && connectionId !== document.connectionId)
    throw invalidField('definitionId', 'is of another connection');
  const described = await policy.connections.get(context, document.connectionId, 'definitionId');
  const configs = await changeConfigs(policy, { current: configsOf(policy, document), change }, described);
  return lintDefinition(policy, {
    projectId,
    described,
    definition: { id: definitionId, name: document.name, ...configs },
  });
}

async function lintUnsaved(
  policy: Policy,
  { projectId, connectionId, ...change }: Input<'previews', 'lint'>,
  context: CallContext,
): Promise<LintWarning[]> {
  if (connectionId === undefined)
    throw invalidField('connectionId', 'is required, or definitionId in its place');
  const described = await policy.connections.get(context, connectionId);
  const { clsConfig, slsConfig, rlsConfig } = change;
  if (!clsConfig && !slsConfig && !rlsConfig) return lintConnection(policy, projectId, described);
  const current = { clsConfig: null, slsConfig: null, rlsConfig: null };
  const configs = await changeConfigs(policy, { current, change }, described);
  return lintDefinition(policy, { projectId, described, definition: { id: null, name: '', ...configs } });
}

/** Warns of rules that do not do what they seem to: of one definition, stored or not, or of all of a connection. */
export async function lintProjectPolicies(
  policy: Policy,
  input: Input<'previews', 'lint'>,
  context: CallContext,
): Answer<'previews', 'lint'> {
  await requireProjectAdmin(policy, input.projectId, context);
  const { definitionId, ...rest } = input;
  const warnings =
    definitionId === undefined
      ? await lintUnsaved(policy, rest, context)
      : await lintStored(policy, { ...rest, definitionId }, context);
  return { ok: true, data: { warnings } };
}
