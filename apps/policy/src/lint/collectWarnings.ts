import { invalidField, type LintWarning, withName } from '@gatehouse/contract';
import { runInSlices, type CallContext } from '@gatehouse/service';
import { mapItems } from '../limits/logic/mapItems.js';
import { lintPolicies } from './logic/findWarnings.js';
import type { LintAssignment, LintDefinition } from './logic/request.js';
import type { PolicyConfigs } from '../secrets/logic/secretParams.js';
import type { Result, Input, Dependencies } from '../dependencies.js';
import type { AssignmentDocument, ConnectionRef, DefinitionDocument } from '../store/documents.js';
import { actorKeyOrNull } from '../preview/readCandidates.js';
import { changeConfigs } from '../definitions/changeConfigs.js';
import type { DescribedConnection } from '../connections/findConnections.js';
import { configsOf, definitionFacts, paramsOf } from '../secrets/sealing.js';
import { NO_DEFINITION, requireProjectAdmin, unknownReference } from '../admission/refusals.js';

/** A definition to lint, stored or not. The id is null if it is not stored. */
type Linted = PolicyConfigs & { id: string | null; name: string };

/** Definitions of a connection, and the assignments that they are linted with. */
interface LintScope {
  described: DescribedConnection;
  definitions: readonly Linted[];
  assignments: readonly AssignmentDocument[];
  /** Whether no assignment of these definitions is missing. */
  hasAllAssignments: boolean;
}

/** The most assignments of a definition that count when it is saved. A definition may have many more. */
const ASSIGNMENTS_ON_SAVE = 200;
/** The most definitions and assignments of a connection that are linted together. */
const DEFINITIONS_MAX = 2000;
const ASSIGNMENTS_MAX = 20_000;

async function withConditions(
  { engineOf }: Pick<Dependencies, 'engineOf'>,
  definition: Linted,
  { organizationId, connection: { dialect } }: DescribedConnection,
): Promise<LintDefinition> {
  const engine = engineOf(organizationId);
  const rules = definition.rlsConfig?.rules ?? [];
  const conditions = rules.map(({ expression }) => engine.analyzeExpression(expression, dialect));
  return { ...definition, conditions: await Promise.all(conditions) };
}

async function lint(
  deps: Pick<Dependencies, 'engineOf' | 'indexCatalog' | 'sealer'>,
  { described, definitions, assignments, hasAllAssignments }: LintScope,
): Promise<LintWarning[]> {
  const { connection, catalog } = described;
  const { dialect } = connection;
  const analyzed = definitions.map((definition) => withConditions(deps, definition, described));
  const toLint = (assignment: AssignmentDocument): LintAssignment => {
    const { _id: id, definitionId, scopeType, actorKey } = assignment;
    return {
      id,
      definitionId,
      scopeType,
      actorKey: actorKeyOrNull(actorKey),
      params: paramsOf(deps, assignment),
    };
  };
  const request = {
    dialect,
    index: catalog && deps.indexCatalog(catalog, dialect),
    definitions: await Promise.all(analyzed),
    assignments: await runInSlices(mapItems(assignments, toLint)),
    hasAllAssignments,
  };
  return runInSlices(joinSteps(lintPolicies(request)));
}

/** Joins the results of steps, between which others may run. */
function* joinSteps<T>(steps: Iterable<readonly T[]>): Generator<void, T[]> {
  const results: T[] = [];
  for (const step of steps) {
    results.push(...step);
    yield;
  }
  return results;
}

/**
 * The assignments of actors, and their definitions. Those in `given` replace the stored ones. Nothing stored
 * is linted if there is more of it than is read for one request.
 */
async function assignedTo(
  deps: Dependencies,
  { projectId, connectionId }: ConnectionRef,
  { actorKeys, given }: { actorKeys: readonly string[]; given: Linted },
): Promise<Pick<LintScope, 'definitions' | 'assignments'>> {
  const { assignments, definitions } = deps.stores;
  const assigned = await assignments.readOfActors({ projectId, connectionId }, actorKeys);
  const ids = new Set(assigned.records.map(({ definitionId }) => definitionId));
  if (given.id !== null) ids.delete(given.id);
  const stored = await definitions.readByIds(projectId, [...ids]);
  if (!assigned.isWhole || !stored.isWhole) return { definitions: [given], assignments: [] };
  const facts = mapItems(stored.records, (each) => definitionFacts(deps, each));
  return { definitions: [given, ...(await runInSlices(facts))], assignments: assigned.records };
}

/** The warnings about one definition, together with the other assignments of its actors. */
export async function lintDefinition(
  deps: Dependencies,
  {
    projectId,
    described,
    definition,
  }: { projectId: string; described: DescribedConnection; definition: Linted },
): Promise<LintWarning[]> {
  const { id } = definition;
  const limit = ASSIGNMENTS_ON_SAVE;
  const own = id === null ? [] : await deps.stores.assignments.listActorKeys(projectId, id, limit + 1);
  const target = { projectId, connectionId: described.connection.id };
  const assigned = await assignedTo(deps, target, { actorKeys: own.slice(0, limit), given: definition });
  const hasAllAssignments = own.length <= limit;
  const warnings = await lint(deps, { described, ...assigned, hasAllAssignments });
  return warnings.filter(({ definitionId }) => definitionId === id);
}

/** The warnings about one assignment and its definition, together with the other assignments of its actor. */
export async function lintAssignment(
  deps: Dependencies,
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
  const { actorKey } = assignment;
  const given = definitionFacts(deps, definition);
  const assigned = await assignedTo(deps, assignment, { actorKeys: [actorKey], given });
  // Of the definition only the assignment to this actor counts.
  const warnings = await lint(deps, { described, ...assigned, hasAllAssignments: true });
  return warnings.filter(({ assignmentId, definitionId }) =>
    assignmentId === null ? definitionId === definition._id : assignmentId === assignment._id,
  );
}

async function lintConnection(deps: Dependencies, projectId: string, described: DescribedConnection) {
  const { id } = described.connection;
  const [definitions, assignments] = await Promise.all([
    deps.stores.definitions.readOfConnection(projectId, id, DEFINITIONS_MAX),
    deps.stores.assignments.readOfConnection(projectId, id, ASSIGNMENTS_MAX),
  ]);
  const facts = mapItems(definitions.records, (each) => definitionFacts(deps, each));
  return lint(deps, {
    described,
    definitions: await runInSlices(facts),
    assignments: assignments.records,
    hasAllAssignments: assignments.isWhole,
  });
}

async function lintStored(
  deps: Dependencies,
  { projectId, connectionId, definitionId, ...change }: Input<'previews', 'lint'> & { definitionId: string },
  context: CallContext,
): Promise<LintWarning[]> {
  const document = await deps.stores.definitions.find(projectId, definitionId);
  if (!document) throw unknownReference('definitionId', NO_DEFINITION, definitionId);
  if (connectionId !== undefined && connectionId !== document.connectionId)
    throw invalidField('definitionId', withName('is of another connection', definitionId), 'reference');
  const described = await deps.connections.get(context, document.connectionId, 'definitionId');
  const configs = await changeConfigs(deps, { current: configsOf(deps, document), change }, described);
  return lintDefinition(deps, {
    projectId,
    described,
    definition: { id: definitionId, name: document.name, ...configs },
  });
}

async function lintUnsaved(
  deps: Dependencies,
  { projectId, connectionId, ...change }: Input<'previews', 'lint'>,
  context: CallContext,
): Promise<LintWarning[]> {
  if (connectionId === undefined)
    throw invalidField('connectionId', 'is required, or definitionId in its place', 'required');
  const described = await deps.connections.get(context, connectionId);
  const { clsConfig, slsConfig, rlsConfig } = change;
  if (!clsConfig && !slsConfig && !rlsConfig) return lintConnection(deps, projectId, described);
  const current = { clsConfig: null, slsConfig: null, rlsConfig: null };
  const configs = await changeConfigs(deps, { current, change }, described);
  return lintDefinition(deps, { projectId, described, definition: { id: null, name: '', ...configs } });
}

/**
 * Finds rules that do not have the effect that they seem to have. Checks one definition, stored or not, or
 * all definitions of a connection.
 */
export async function lintProjectPolicies(
  deps: Dependencies,
  input: Input<'previews', 'lint'>,
  context: CallContext,
): Result<'previews', 'lint'> {
  await requireProjectAdmin(deps, input.projectId, context);
  const { definitionId, ...rest } = input;
  const warnings =
    definitionId === undefined
      ? await lintUnsaved(deps, rest, context)
      : await lintStored(deps, { ...rest, definitionId }, context);
  return { ok: true, data: { warnings } };
}
