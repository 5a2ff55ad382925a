import { invalidField, type EventData, type LintWarning } from '@gatehouse/contract';
import { type CallContext, createEvent, requireVersion, untilWritten } from '@gatehouse/service';
import { isDeepStrictEqual } from 'node:util';
import { fold } from '../logic/fold.js';
import type { PolicyConfigs } from '../logic/secretParams.js';
import type { Answer, Input, Policy } from '../policy.js';
import type { DefinitionDocument } from '../store/documents.js';
import { changeConfigs, CONFIG_FIELDS } from './configChanges.js';
import { configsOf, definitionPlace } from './storedFacts.js';
import { presentDefinition, TAKEN } from './definitions.js';
import { lintDefinition } from './lint.js';
import { callOrigin } from './origins.js';
import { definitionState } from './records.js';
import { refuseDuplicates, requireProjectAdmin } from './refusals.js';
import { refuseFailingTests } from './runTests.js';
import { sealConfigs } from './sealing.js';

type Changes = EventData<'management.policy_definition.updated.v1'>['changes'];

/** What a change changes. Configs may be large and hold secrets: they are only named. */
function describeChanges(
  before: { name: string; configs: PolicyConfigs },
  after: { name: string; configs: PolicyConfigs },
): Changes {
  const changed = CONFIG_FIELDS.filter(
    (field) => !isDeepStrictEqual(before.configs[field], after.configs[field]),
  );
  return {
    ...(before.name === after.name ? {} : { name: { from: before.name, to: after.name } }),
    ...Object.fromEntries(changed.map((field) => [field, { from: null, to: null }])),
  };
}

/** A definition as it is after a change that was checked, and what lint says of it. */
interface Decided {
  name: string;
  configs: PolicyConfigs;
  changes: Changes;
  warnings: LintWarning[];
}

async function decide(
  policy: Policy,
  current: DefinitionDocument,
  { input, context }: { input: Input<'definitions', 'update'>; context: CallContext },
): Promise<Decided> {
  const { projectId, definitionId, name = current.name, runTests = false, ...change } = input;
  const described = await policy.connections.find(context, current.connectionId);
  if (!described) throw invalidField('definitionId', 'belongs to a connection that is gone');
  const before = configsOf(policy, current);
  const configs = await changeConfigs(policy, { current: before, change }, described);
  const definition = { id: definitionId, name, ...configs };
  if (runTests) await refuseFailingTests(policy, { document: current, definition, described }, context);
  const changes = describeChanges({ name: current.name, configs: before }, { name, configs });
  return {
    name,
    configs,
    changes,
    warnings: await lintDefinition(policy, { projectId, described, definition }),
  };
}

export async function updateDefinition(
  policy: Policy,
  input: Input<'definitions', 'update'>,
  context: CallContext,
): Answer<'definitions', 'update'> {
  const { projectId, definitionId } = input;
  await requireProjectAdmin(policy, projectId, context);
  const { document, warnings } = await untilWritten(async () => {
    const current = await policy.stores.definitions.get(projectId, definitionId);
    requireVersion(context, current.version);
    const decided = await decide(policy, current, { input, context });
    const isUnchanged = Object.keys(decided.changes).length === 0;
    const written = isUnchanged ? current : await write(policy, current, { decided, context });
    return written && { document: written, warnings: decided.warnings };
  });
  return { ok: true, data: { ...(await presentDefinition(policy, document, context)), warnings } };
}

function write(
  { sealer, stores }: Policy,
  current: DefinitionDocument,
  { decided: { name, configs, changes }, context }: { decided: Decided; context: CallContext },
): Promise<DefinitionDocument | null> {
  const { projectId, _id: id } = current;
  const set = {
    name,
    nameFolded: fold(name),
    configs: sealConfigs(sealer, definitionPlace(current), configs),
  };
  const data = { ...definitionState({ ...current, name }), changes };
  const events = [
    createEvent('management.policy_definition.updated.v1', id, { origin: callOrigin(context), data }),
  ];
  return refuseDuplicates(TAKEN, () =>
    stores.definitions.update(projectId, current, { set, events, now: context.now }),
  );
}
