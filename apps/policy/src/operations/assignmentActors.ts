import { ASSIGNMENT_ACTOR_FIELD, type AssignmentScope, type FieldError } from '@gatehouse/contract';
import type { AssignmentDocument } from '../store/documents.js';
import type { ActorName } from './actorBook.js';
import { actorFieldsOf } from './records.js';
import { refuseFaults } from './refusals.js';

interface ActorFields {
  orgUserId: string | null;
  tenantId: string | null;
  tenantUserId: string | null;
}

/** Whom a change of an assignment names: absent stays, null clears. */
export interface ActorChange {
  scopeType?: AssignmentScope | undefined;
  orgUserId?: string | null | undefined;
  tenantId?: string | null | undefined;
  tenantUserId?: string | null | undefined;
}

const FIELDS = ['orgUserId', 'tenantId', 'tenantUserId'] as const;

/** The actor that a scope and its field name. */
export function actorNameOf(shape: { scopeType: AssignmentScope } & Partial<ActorFields>): ActorName {
  const field = ASSIGNMENT_ACTOR_FIELD[shape.scopeType];
  return { kind: shape.scopeType, id: field === null ? null : (shape[field] ?? null) };
}

/**
 * Whom an assignment is for after a change: null when the change says nothing of it. A new scope clears the former actor.
 * Throws INVALID_REQUEST with the fields when the result does not meet the rules of its scope.
 */
export function changedActor(
  current: Pick<AssignmentDocument, 'scopeType' | 'actorId'>,
  change: ActorChange,
): ActorName | null {
  const { scopeType = current.scopeType } = change;
  const given = FIELDS.filter((field) => change[field] !== undefined);
  if (change.scopeType === undefined && given.length === 0) return null;
  const cleared = { orgUserId: null, tenantId: null, tenantUserId: null };
  const fields: ActorFields = scopeType === current.scopeType ? actorFieldsOf(current) : cleared;
  for (const field of given) fields[field] = change[field] ?? null;
  const required = ASSIGNMENT_ACTOR_FIELD[scopeType];
  const faults = FIELDS.flatMap((field): FieldError[] => {
    const isGiven = fields[field] !== null;
    if (isGiven === (field === required)) return [];
    return [{ field, message: `${isGiven ? 'does not go with' : 'is required for'} scopeType ${scopeType}` }];
  });
  refuseFaults(faults);
  return actorNameOf({ scopeType, ...fields });
}
