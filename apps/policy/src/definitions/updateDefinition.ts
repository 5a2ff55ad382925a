import { invalidField, type EventData, type LintWarning } from '@gatehouse/contract';
import { type CallContext, createEvent, originOf, requireVersion, retryOnConflict } from '@gatehouse/service';
import { isDeepStrictEqual } from 'node:util';
import type { PolicyConfigs } from '../secrets/logic/secretParams.js';
import type { Result, Input, Dependencies } from '../dependencies.js';
import { nameFields, type DefinitionDocument } from '../store/documents.js';
import { changeConfigs, CONFIG_FIELDS, type ConfigChange } from './changeConfigs.js';
import { containsConfigSecret } from '../secrets/restoreSecrets.js';
import { configsOf, definitionPlace, sealConfigs } from '../secrets/sealing.js';
import { DUPLICATE_NAME } from './createDefinition.js';
import { definitionState, presentDefinition } from './presentDefinition.js';
import { lintDefinition } from '../lint/collectWarnings.js';
import { refuseDuplicates, requireProjectAdmin } from '../admission/refusals.js';
import { refuseFailingTests } from '../policyTests/runTests.js';

type Changes = EventData<'management.policy_definition.updated.v1'>['changes'];

const NO_CONFIGS: PolicyConfigs = { clsConfig: null, slsConfig: null, rlsConfig: null };

/** The changed fields. Configs may be large and hold secrets, so their values are left out. */
function describeChanges(
  before: { name: string; configs: PolicyConfigs },
  after: { name: string; configs: PolicyConfigs; change: ConfigChange },
): Changes {
  const changed = CONFIG_FIELDS.filter(
    (field) =>
      // A given secret always counts as changed. Otherwise the version would confirm a correct guess.
      containsConfigSecret({ ...NO_CONFIGS, [field]: after.change[field] ?? null }) ||
      !isDeepStrictEqual(before.configs[field], after.configs[field]),
  );
  return {
    ...(before.name === after.name ? {} : { name: { from: before.name, to: after.name } }),
    ...Object.fromEntries(changed.map((field) => [field, { from: null, to: null }])),
  };
}

/** The checked result of an update, with its lint warnings. */
interface Decided {
  name: string;
  configs: PolicyConfigs;
  changes: Changes;
  warnings: LintWarning[];
}

async function decide(
  deps: Dependencies,
  current: DefinitionDocument,
  { input, context }: { input: Input<'definitions', 'update'>; context: CallContext },
): Promise<Decided> {
  const { projectId, definitionId, name = current.name, runTests = false, ...change } = input;
  const described = await deps.connections.find(context, current.connectionId);
  if (!described) throw invalidField('definitionId', 'belongs to a deleted connection', 'reference');
  const before = configsOf(deps, current);
  const configs = await changeConfigs(deps, { current: before, change }, described);
  const definition = { id: definitionId, name, ...configs };
  if (runTests) await refuseFailingTests(deps, { document: current, definition, described }, context);
  const changes = describeChanges({ name: current.name, configs: before }, { name, configs, change });
  return {
    name,
    configs,
    changes,
    warnings: await lintDefinition(deps, { projectId, described, definition }),
  };
}

export async function updateDefinition(
  deps: Dependencies,
  input: Input<'definitions', 'update'>,
  context: CallContext,
): Result<'definitions', 'update'> {
  const { projectId, definitionId } = input;
  await requireProjectAdmin(deps, projectId, context);
  const { document, warnings } = await retryOnConflict(async () => {
    const current = await deps.stores.definitions.get(projectId, definitionId);
    requireVersion(context, current.version);
    const decided = await decide(deps, current, { input, context });
    const isUnchanged = Object.keys(decided.changes).length === 0;
    const written = isUnchanged ? current : await write(deps, current, { decided, context });
    return { document: written, warnings: decided.warnings };
  });
  return { ok: true, data: { ...(await presentDefinition(deps, document, context)), warnings } };
}

function write(
  { sealer, stores }: Dependencies,
  current: DefinitionDocument,
  { decided: { name, configs, changes }, context }: { decided: Decided; context: CallContext },
): Promise<DefinitionDocument> {
  const { projectId, _id: id } = current;
  const set = {
    ...nameFields(name),
    configs: sealConfigs(sealer, definitionPlace(current), configs),
  };
  const data = { ...definitionState({ ...current, name }), changes };
  const events = [
    createEvent('management.policy_definition.updated.v1', id, { origin: originOf('policy', context), data }),
  ];
  return refuseDuplicates(DUPLICATE_NAME, () =>
    stores.definitions.update(projectId, current, { set, events, now: context.now }),
  );
}
