import type { AssignmentScope, TraceEntry } from '@gatehouse/contract';
import type { ActorFacts, AssignmentFacts } from './model.js';

/** From the widest scope to the narrowest; an org user is of no tenant, so its scope competes with none of the others. */
const SCOPE_RANKS: Record<AssignmentScope, number> = {
  ALL_TENANTS: 0,
  TENANT: 1,
  TENANT_USER: 2,
  ORG_USER: 3,
};

/** How specific an assignment is: among those that apply to one actor, the highest wins. */
export function rankOf(assignment: AssignmentFacts): number {
  return SCOPE_RANKS[assignment.scopeType];
}

/** The key that an assignment of each scope must name to reach the actor; null where none of that scope reaches it. */
function keysReaching(actor: ActorFacts): Record<Exclude<AssignmentScope, 'ALL_TENANTS'>, string | null> {
  const { kind, key, tenantKey } = actor;
  return {
    TENANT: kind === 'TENANT' ? key : kind === 'TENANT_USER' ? tenantKey : null,
    TENANT_USER: kind === 'TENANT_USER' ? key : null,
    ORG_USER: kind === 'ORG_USER' ? key : null,
  };
}

/**
 * Whether an assignment is for this actor. ALL_TENANTS reaches every actor but an org user; a tenant is reached by its own, a
 * tenant user by its tenant's and its own, an org user by its own alone. Compares keys: ids may be given again.
 */
export function isApplicable(
  { scopeType, actorKey }: Pick<AssignmentFacts, 'scopeType' | 'actorKey'>,
  actor: ActorFacts,
): boolean {
  if (scopeType === 'ALL_TENANTS') return actor.kind !== 'ORG_USER';
  const key = keysReaching(actor)[scopeType];
  return key !== null && key === actorKey;
}

const REASONS: Record<AssignmentScope, { applies: string; skipped: string }> = {
  ALL_TENANTS: {
    applies: 'It is for all tenants, and so for this actor.',
    skipped: 'It is for all tenants, and an org user is of none.',
  },
  TENANT: {
    applies: 'It is for the tenant of the actor.',
    skipped: 'It is for a tenant, and the actor is not that tenant or of it.',
  },
  TENANT_USER: {
    applies: 'It is for this tenant user.',
    skipped: 'It is for a tenant user who is not the actor.',
  },
  ORG_USER: {
    applies: 'It is for this org user.',
    skipped: 'It is for an org user who is not the actor.',
  },
};

/** What an assignment is called in a sentence or a trace: its id, or what it is a draft of. */
export function nameOfAssignment({ id, definition }: AssignmentFacts): string {
  return id ?? `draft of "${definition.name}"`;
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The assignments in one order, however they come: the widest first. */
export function sortAssignments(assignments: readonly AssignmentFacts[]): AssignmentFacts[] {
  return assignments.toSorted(compareAssignments);
}

/** Widest scope first; in a scope by the definition's name, then by ids, drafts last. */
function compareAssignments(a: AssignmentFacts, b: AssignmentFacts): number {
  return (
    rankOf(a) - rankOf(b) ||
    compareText(a.definition.name, b.definition.name) ||
    compareText(a.definition.id, b.definition.id) ||
    Number(a.id === null) - Number(b.id === null) ||
    compareText(a.id ?? '', b.id ?? '')
  );
}

/** The assignments that apply to an actor and an entry on each of those given, both from the widest scope on. */
export function findApplicable(
  assignments: readonly AssignmentFacts[],
  actor: ActorFacts,
): { applicable: AssignmentFacts[]; trace: TraceEntry[] } {
  const applicable: AssignmentFacts[] = [];
  const trace = sortAssignments(assignments).map((assignment): TraceEntry => {
    const applies = isApplicable(assignment, actor);
    if (applies) applicable.push(assignment);
    const outcome = applies ? 'applies' : 'skipped';
    return traceAssignment(assignment, outcome, REASONS[assignment.scopeType][outcome]);
  });
  return { applicable, trace };
}

/** An entry that says why an assignment counts, or does not. */
export function traceAssignment(
  assignment: AssignmentFacts,
  outcome: 'applies' | 'skipped',
  why: string,
): TraceEntry {
  return {
    subject: 'assignment',
    name: nameOfAssignment(assignment),
    outcome,
    why,
    assignmentId: assignment.id,
    definitionId: assignment.definition.id,
  };
}
