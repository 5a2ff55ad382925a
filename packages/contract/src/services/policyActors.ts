import type { z } from 'zod';
import { rule } from '../fieldErrors.js';
import { AssignmentScope } from '../records/policy.js';
import { Id } from '../vocabulary.js';

/** The fields that name an actor. */
export const Actor = { orgUserId: Id, tenantId: Id, tenantUserId: Id };

/** The field that names the actor, by scope; null for the scopes without one. */
export const ASSIGNMENT_ACTOR_FIELD = {
  ALL_TENANTS: null,
  TENANT: 'tenantId',
  TENANT_USER: 'tenantUserId',
  ORG_USER: 'orgUserId',
} as const satisfies Record<AssignmentScope, keyof typeof Actor | null>;
const ACTOR_FIELDS = ['orgUserId', 'tenantId', 'tenantUserId'] as const;

interface AssignmentShape {
  scopeType: AssignmentScope;
  orgUserId?: string | undefined;
  tenantId?: string | undefined;
  tenantUserId?: string | undefined;
}

/** Adds an issue for each actor field that does not fit the scope. */
export function checkActor(value: AssignmentShape, context: z.core.$RefinementCtx): void {
  const required = ASSIGNMENT_ACTOR_FIELD[value.scopeType];
  for (const field of ACTOR_FIELDS) {
    const isGiven = value[field] !== undefined;
    if (isGiven === (field === required)) continue;
    const message = `${isGiven ? 'does not go with' : 'is required for'} scopeType ${value.scopeType}`;
    context.addIssue({
      code: 'custom',
      path: [field],
      ...rule(message, isGiven ? 'conflict' : 'required'),
      input: value,
    });
  }
}

/** Selects by actor; at most one of the ids. */
export const AssignedTo = {
  scopeType: AssignmentScope.optional(),
  orgUserId: Id.optional(),
  tenantId: Id.optional(),
  tenantUserId: Id.optional(),
};

/** Adds an issue for each actor field after the first. */
export function checkOneActor(value: Partial<AssignmentShape>, context: z.core.$RefinementCtx): void {
  const [, ...surplus] = ACTOR_FIELDS.filter((field) => value[field] !== undefined);
  for (const field of surplus) {
    const fault = rule('goes with no other actor', 'conflict');
    context.addIssue({ code: 'custom', path: [field], ...fault, input: value });
  }
}
