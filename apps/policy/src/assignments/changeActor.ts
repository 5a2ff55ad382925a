import { ASSIGNMENT_ACTOR_FIELD, type AssignmentScope, type FieldError } from '@gatehouse/contract';
import type { AssignmentDocument } from '../store/documents.js';
import type { ActorName } from '../actors/findActors.js';
import { actorFieldsOf } from './presentAssignments.js';
import { refuseFaults } from '../admission/refusals.js';

interface ActorFields {
  orgUserId: string | null;
  tenantId: string | null;
  tenantUserId: string | null;
}

/** The actor fields of an update: absent keeps the value, null clears it. A scope cannot be cleared. */
export interface ActorChange {
  scopeType?: AssignmentScope | null | undefined;
  orgUserId?: string | null | undefined;
  tenantId?: string | null | undefined;
  tenantUserId?: string | null | undefined;
}

const FIELDS = ['orgUserId', 'tenantId', 'tenantUserId'] as const;

/** The actor that a scope and the field of that scope identify. */
export function actorNameOf(shape: { scopeType: AssignmentScope } & Partial<ActorFields>): ActorName {
  const field = ASSIGNMENT_ACTOR_FIELD[shape.scopeType];
  return { kind: shape.scopeType, id: field === null ? null : (shape[field] ?? null) };
}

/**
 * The actor of an assignment after an update; null if the update does not change it. A new scope clears the
 * former actor.
 * @throws INVALID_REQUEST if the fields do not match the scope
 */
export function changedActor(
  current: Pick<AssignmentDocument, 'scopeType' | 'actorId'>,
  change: ActorChange,
): ActorName | null {
  const scopeType = change.scopeType ?? current.scopeType;
  const given = FIELDS.filter((field) => change[field] !== undefined);
  if (!change.scopeType && given.length === 0) return null;
  const cleared = { orgUserId: null, tenantId: null, tenantUserId: null };
  const fields: ActorFields = scopeType === current.scopeType ? actorFieldsOf(current) : cleared;
  for (const field of given) fields[field] = change[field] ?? null;
  const required = ASSIGNMENT_ACTOR_FIELD[scopeType];
  const faults = FIELDS.flatMap((field): FieldError[] => {
    const isGiven = fields[field] !== null;
    if (isGiven === (field === required)) return [];
    const message = `${isGiven ? 'does not go with' : 'is required for'} scopeType ${scopeType}`;
    return [{ field, message, code: isGiven ? 'conflict' : 'required' }];
  });
  refuseFaults(faults);
  return actorNameOf({ scopeType, ...fields });
}
