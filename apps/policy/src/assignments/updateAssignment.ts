import type { AssignmentScope, EventData, Params } from '@gatehouse/contract';
import { type CallContext, createEvent, originOf, requireVersion, retryOnConflict } from '@gatehouse/service';
import { isDeepStrictEqual } from 'node:util';
import type { Result, Input, Dependencies } from '../dependencies.js';
import type { AssignmentDocument } from '../store/documents.js';
import { getActorKey } from '../actors/findActors.js';
import { changedActor, type ActorChange } from './changeActor.js';
import { DUPLICATE_ACTOR } from './createAssignment.js';
import { actorFieldsOf, assignmentState, presentWritten } from './presentAssignments.js';
import { assignmentPlace, paramsOf, sealParams } from '../secrets/sealing.js';
import { findParamFaults } from '../definitions/checkConfigs.js';
import { containsParamSecret, restoreParamSecrets } from '../secrets/restoreSecrets.js';
import { refuseDuplicates, refuseFaults, requireProjectAdmin } from '../admission/refusals.js';

interface Actor {
  scopeType: AssignmentScope;
  actorId: string | null;
  actorKey: string;
}

async function decideActor(
  deps: Dependencies,
  current: AssignmentDocument,
  { change, context }: { change: ActorChange; context: CallContext },
): Promise<Actor> {
  const name = changedActor(current, change);
  if (!name) return current;
  const actorKey = await getActorKey(deps, { name, path: '' }, context);
  return { scopeType: name.kind, actorId: name.id, actorKey };
}

/** The values after an update: absent keeps them, null removes them, and `***` keeps the stored value. */
function decideParams(
  deps: Dependencies,
  current: AssignmentDocument,
  wanted: Params | null | undefined,
): Params | null {
  const stored = current.params && paramsOf(deps, current);
  if (wanted === undefined || wanted === null) return wanted === null ? null : stored;
  const { kept, faults } = restoreParamSecrets(wanted, stored ?? {}, 'params');
  refuseFaults([...findParamFaults(wanted, 'params'), ...faults]);
  return kept;
}

type Changes = EventData<'management.policy_assignment.updated.v1'>['changes'];

/** The changed fields. Values may be secret, so they are left out. */
function describeChanges(
  before: { actor: Actor; params: Params | null },
  after: { actor: Actor; params: Params | null; containsSecret: boolean },
): Changes {
  // A given secret always counts as changed. Otherwise the version would confirm a correct guess.
  const areSame = !after.containsSecret && isDeepStrictEqual(before.params, after.params);
  const former = { scopeType: before.actor.scopeType, ...actorFieldsOf(before.actor) };
  const present = { scopeType: after.actor.scopeType, ...actorFieldsOf(after.actor) };
  const fields = Object.keys(former) as (keyof typeof former)[];
  const changed = fields.filter((field) => former[field] !== present[field]);
  const isOther = before.actor.actorKey !== after.actor.actorKey && changed.length === 0;
  return {
    ...Object.fromEntries(changed.map((field) => [field, { from: former[field], to: present[field] }])),
    // The id has been reused for another actor since.
    ...(isOther ? { actorKey: { from: before.actor.actorKey, to: after.actor.actorKey } } : {}),
    ...(areSame ? {} : { params: { from: null, to: null } }),
  };
}

export async function updateAssignment(
  deps: Dependencies,
  { projectId, assignmentId, params, ...change }: Input<'assignments', 'update'>,
  context: CallContext,
): Result<'assignments', 'update'> {
  await requireProjectAdmin(deps, projectId, context);
  const { assignments, definitions } = deps.stores;
  const document = await retryOnConflict(async () => {
    const current = await assignments.get(projectId, assignmentId);
    requireVersion(context, current.version);
    const before = { actor: current, params: current.params && paramsOf(deps, current) };
    const after = {
      actor: await decideActor(deps, current, { change, context }),
      params: decideParams(deps, current, params),
      containsSecret: containsParamSecret(params ?? {}),
    };
    const changes = describeChanges(before, after);
    if (Object.keys(changes).length === 0) return current;
    return write(deps, current, { ...after, changes, context });
  });
  const definition = await definitions.get(projectId, document.definitionId);
  return presentWritten(deps, { document, definition }, context);
}

function write(
  { sealer, stores }: Dependencies,
  current: AssignmentDocument,
  after: { actor: Actor; params: Params | null; changes: Changes; context: CallContext },
): Promise<AssignmentDocument> {
  const { projectId, _id: id } = current;
  const { changes, context } = after;
  const { scopeType, actorId, actorKey } = after.actor;
  const params = after.params && sealParams(sealer, assignmentPlace(current), after.params);
  const set = { scopeType, actorId, actorKey, params };
  const data = { ...assignmentState({ ...current, ...set }), changes };
  const events = [
    createEvent('management.policy_assignment.updated.v1', id, { origin: originOf('policy', context), data }),
  ];
  return refuseDuplicates(DUPLICATE_ACTOR, () =>
    stores.assignments.update(projectId, current, { set, events, now: context.now }),
  );
}
