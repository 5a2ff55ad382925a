import type { AssignmentScope, EventData, Params } from '@gatehouse/contract';
import { type CallContext, createEvent, requireVersion, untilWritten } from '@gatehouse/service';
import { isDeepStrictEqual } from 'node:util';
import type { Answer, Input, Policy } from '../policy.js';
import type { AssignmentDocument } from '../store/documents.js';
import { getActorKey } from './actors.js';
import { changedActor, type ActorChange } from './assignmentActors.js';
import { answer, ASSIGNED } from './assignments.js';
import { assignmentPlace, paramsOf } from './storedFacts.js';
import { findParamFaults } from './definitionChecks.js';
import { keepParamSecrets } from './keptSecrets.js';
import { callOrigin } from './origins.js';
import { actorFieldsOf, assignmentState } from './records.js';
import { refuseDuplicates, refuseFaults, requireProjectAdmin } from './refusals.js';
import { sealParams } from './sealing.js';

interface Actor {
  scopeType: AssignmentScope;
  actorId: string | null;
  actorKey: string;
}

async function decideActor(
  policy: Policy,
  current: AssignmentDocument,
  { change, context }: { change: ActorChange; context: CallContext },
): Promise<Actor> {
  const name = changedActor(current, change);
  if (!name) return current;
  const actorKey = await getActorKey(policy, { name, path: '' }, context);
  return { scopeType: name.kind, actorId: name.id, actorKey };
}

/** The values after a change: absent stays, null removes, and a `***` in it keeps the stored value. */
function decideParams(
  policy: Policy,
  current: AssignmentDocument,
  wanted: Params | null | undefined,
): Params | null {
  const stored = current.params && paramsOf(policy, current);
  if (wanted === undefined || wanted === null) return wanted === null ? null : stored;
  const { kept, faults } = keepParamSecrets(wanted, stored ?? {}, 'params');
  refuseFaults([...findParamFaults(wanted, 'params'), ...faults]);
  return kept;
}

type Changes = EventData<'management.policy_assignment.updated.v1'>['changes'];

/** What a change changes. Values may be secret: they are only named. */
function describeChanges(
  before: { actor: Actor; params: Params | null },
  after: { actor: Actor; params: Params | null },
): Changes {
  const former = { scopeType: before.actor.scopeType, ...actorFieldsOf(before.actor) };
  const present = { scopeType: after.actor.scopeType, ...actorFieldsOf(after.actor) };
  const fields = Object.keys(former) as (keyof typeof former)[];
  const changed = fields.filter((field) => former[field] !== present[field]);
  const isOther = before.actor.actorKey !== after.actor.actorKey && changed.length === 0;
  return {
    ...Object.fromEntries(changed.map((field) => [field, { from: former[field], to: present[field] }])),
    // The id was given again to another since.
    ...(isOther ? { actorKey: { from: before.actor.actorKey, to: after.actor.actorKey } } : {}),
    ...(isDeepStrictEqual(before.params, after.params) ? {} : { params: { from: null, to: null } }),
  };
}

export async function updateAssignment(
  policy: Policy,
  { projectId, assignmentId, params, ...change }: Input<'assignments', 'update'>,
  context: CallContext,
): Answer<'assignments', 'update'> {
  await requireProjectAdmin(policy, projectId, context);
  const { assignments, definitions } = policy.stores;
  const document = await untilWritten(async () => {
    const current = await assignments.get(projectId, assignmentId);
    requireVersion(context, current.version);
    const before = { actor: current, params: current.params && paramsOf(policy, current) };
    const after = {
      actor: await decideActor(policy, current, { change, context }),
      params: decideParams(policy, current, params),
    };
    const changes = describeChanges(before, after);
    if (Object.keys(changes).length === 0) return current;
    return write(policy, current, { ...after, changes, context });
  });
  const definition = await definitions.get(projectId, document.definitionId);
  return answer(policy, { document, definition }, context);
}

function write(
  { sealer, stores }: Policy,
  current: AssignmentDocument,
  after: { actor: Actor; params: Params | null; changes: Changes; context: CallContext },
): Promise<AssignmentDocument | null> {
  const { projectId, _id: id } = current;
  const { changes, context } = after;
  const { scopeType, actorId, actorKey } = after.actor;
  const params = after.params && sealParams(sealer, assignmentPlace(current), after.params);
  const set = { scopeType, actorId, actorKey, params };
  const data = { ...assignmentState({ ...current, ...set }), changes };
  const events = [
    createEvent('management.policy_assignment.updated.v1', id, { origin: callOrigin(context), data }),
  ];
  return refuseDuplicates(ASSIGNED, () =>
    stores.assignments.update(projectId, current, { set, events, now: context.now }),
  );
}
