import type { AssignmentScope, TraceEntry, CompiledReason, PolicySource } from '@gatehouse/contract';
import { type ActorFacts, type AssignmentFacts, refusalOf } from './facts.js';

/**
 * From the widest scope to the narrowest. An org user belongs to no tenant, so its scope competes with no
 * other.
 */
const SCOPE_RANKS: Record<AssignmentScope, number> = {
  ALL_TENANTS: 0,
  TENANT: 1,
  TENANT_USER: 2,
  ORG_USER: 3,
};

/** The rank of an assignment. The highest rank among those that apply to an actor wins. */
function rankOf(assignment: AssignmentFacts): number {
  return SCOPE_RANKS[assignment.scopeType];
}

/**
 * The actor key that an assignment of each scope must have to apply to the actor; null if no assignment of
 * the scope applies.
 */
function keysReaching(actor: ActorFacts): Record<Exclude<AssignmentScope, 'ALL_TENANTS'>, string | null> {
  const { kind, key, tenantKey } = actor;
  return {
    TENANT: kind === 'TENANT' ? key : kind === 'TENANT_USER' ? tenantKey : null,
    TENANT_USER: kind === 'TENANT_USER' ? key : null,
    ORG_USER: kind === 'ORG_USER' ? key : null,
  };
}

/**
 * Whether an assignment applies to the actor. ALL_TENANTS applies to every actor except an org user. A tenant
 * matches its own assignments, a tenant user those of its tenant and its own, an org user only its own. Keys
 * are compared, because ids may be reused.
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

/** The name of an assignment in messages and traces: its id, or a phrase for a draft. */
function nameOfAssignment({ id, definition }: AssignmentFacts): string {
  return id ?? `draft of "${definition.name}"`;
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The assignments in a canonical order, widest scope first. */
export function sortAssignments(assignments: readonly AssignmentFacts[]): AssignmentFacts[] {
  return assignments.toSorted(compareAssignments);
}

/** Widest scope first, then by the name of the definition, then by ids, drafts last. */
function compareAssignments(a: AssignmentFacts, b: AssignmentFacts): number {
  return (
    rankOf(a) - rankOf(b) ||
    compareText(a.definition.name, b.definition.name) ||
    compareText(a.definition.id, b.definition.id) ||
    Number(a.id === null) - Number(b.id === null) ||
    compareText(a.id ?? '', b.id ?? '')
  );
}

/**
 * The assignments that apply to an actor, and a trace entry for each given assignment, both widest scope
 * first.
 */
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

/** A trace entry with the reason why an assignment applies or not. */
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

/** The name of a token's policies in a trace. */
export const TOKEN_POLICY = 'token';

/** The source of a config or a rule. A token has no ids. */
export interface Origin {
  assignmentId: string | null;
  definitionId: string | null;
  source: PolicySource;
}

/** The origin of an assignment's policies; of the token's if there is no assignment. */
export function originOf(assignment: AssignmentFacts | null): Origin {
  if (assignment === null) return { assignmentId: null, definitionId: null, source: 'token' };
  const { id, definition, source } = assignment;
  return { assignmentId: id, definitionId: definition.id, source };
}

/** The result of resolving all configs of one level. */
export interface LevelOutcome<T> {
  /** Null if there is no config, or if it is refused. */
  resolved: T | null;
  refusals: CompiledReason[];
  trace: TraceEntry[];
}

/** The result of resolving one config: a value, or the reasons why there is none. */
export type Outcome<T> = { value: T; reasons?: undefined } | { value?: undefined; reasons: CompiledReason[] };

/** The competing configs of one level: those of the applicable assignments that have one. */
export interface Contest<T> {
  level: 'cls' | 'sls';
  contenders: readonly AssignmentFacts[];
  /** Called only for the most specific assignments. */
  resolve: (contender: AssignmentFacts) => Generator<void, Outcome<T>>;
  /** Returns the same text for two values exactly if they have the same effect. Never shown. */
  fingerprintOf: (value: T) => Generator<void, string>;
}

export interface ContestOutcome<T> {
  winner: { assignment: AssignmentFacts; value: T } | null;
  /**
   * The reasons why nothing may be read: a config that does not resolve, or two of the same rank that differ.
   */
  refusals: CompiledReason[];
  trace: TraceEntry[];
}

/**
 * The most specific assignment wins. Several of the same rank must have the same effect. Otherwise nothing
 * may be read, because any choice would be a guess.
 */
export function* settleContest<T>(contest: Contest<T>): Generator<void, ContestOutcome<T>> {
  const { contenders, level } = contest;
  const highest = contenders.reduce((rank, contender) => Math.max(rank, rankOf(contender)), -1);
  const leaders = contenders.filter((contender) => rankOf(contender) === highest);
  const [first] = leaders;
  const trace = contenders
    .filter((contender) => rankOf(contender) < highest)
    .map((contender) => entryOf(level, contender, { outcome: 'loses', why: LOSES[level] }));
  if (first === undefined) return { winner: null, refusals: [], trace };
  const outcomes: { assignment: AssignmentFacts; outcome: Outcome<T> }[] = [];
  for (const assignment of leaders) {
    outcomes.push({ assignment, outcome: yield* contest.resolve(assignment) });
    yield;
  }
  const reasons = outcomes.flatMap(({ outcome }) => outcome.reasons ?? []);
  if (reasons.length > 0) return { winner: null, refusals: reasons, trace };
  const values = outcomes.flatMap(({ assignment, outcome }) =>
    outcome.reasons === undefined ? [{ assignment, value: outcome.value }] : [],
  );
  const settled = yield* compareLeaders(contest, values);
  return { ...settled, trace: [...trace, ...settled.trace] };
}

function* compareLeaders<T>(
  { level, fingerprintOf }: Contest<T>,
  leaders: readonly { assignment: AssignmentFacts; value: T }[],
): Generator<void, ContestOutcome<T>> {
  const [first, ...rest] = leaders;
  if (first === undefined) return { winner: null, refusals: [], trace: [] };
  const fingerprint = rest.length > 0 ? yield* fingerprintOf(first.value) : '';
  const differing: AssignmentFacts[] = [];
  for (const { assignment, value } of rest) {
    if ((yield* fingerprintOf(value)) !== fingerprint) differing.push(assignment);
    yield;
  }
  if (differing.length > 0) {
    const parties = [first.assignment, ...differing];
    const why = `${namesOf(parties)} are equally specific, and their ${NOUNS[level]} differ.`;
    return {
      winner: null,
      refusals: [refusalOf(CONFLICTS[level], why)],
      trace: parties.map((party) => entryOf(level, party, { outcome: 'conflict', why })),
    };
  }
  return {
    winner: first,
    refusals: [],
    trace: [
      entryOf(level, first.assignment, { outcome: 'wins', why: WINS }),
      ...rest.map(({ assignment }) =>
        entryOf(level, assignment, { outcome: 'merged', why: 'It equals the effective one.' }),
      ),
    ],
  };
}

/** A conflict of more assignments names only the first ones: the trace has an entry for each of them. */
const PARTIES_SHOWN = 10;

function namesOf(parties: readonly AssignmentFacts[]): string {
  const more = parties.length - PARTIES_SHOWN;
  const shown = parties.slice(0, PARTIES_SHOWN).map(phraseOf);
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(' and ');
}

const NOUNS = { cls: 'connection-level configs', sls: 'schema-level configs' };
const WINS = 'It is the most specific of those that apply.';
const LOSES = {
  cls: 'A more specific assignment has a connection-level config too.',
  sls: 'A more specific assignment has a schema-level config too; of this one only its allowedSchemas count.',
};
const CONFLICTS = { cls: 'CLS_CONFLICT', sls: 'SLS_CONFLICT' } as const;

/** An assignment in a message: the name of its definition, and its id. */
export function phraseOf(assignment: AssignmentFacts): string {
  return `"${assignment.definition.name}" (${assignment.id ?? 'draft'})`;
}

function entryOf(
  level: 'cls' | 'sls',
  assignment: AssignmentFacts,
  { outcome, why }: Pick<TraceEntry, 'outcome' | 'why'>,
): TraceEntry {
  return {
    subject: level,
    name: nameOfAssignment(assignment),
    outcome,
    why,
    assignmentId: assignment.id,
    definitionId: assignment.definition.id,
  };
}
