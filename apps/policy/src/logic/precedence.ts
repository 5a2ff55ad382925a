import type { CompiledReason, PolicySource, TraceEntry } from '@gatehouse/contract';
import { nameOfAssignment, rankOf } from './applicable.js';
import type { AssignmentFacts } from './model.js';
import { refusalOf } from './refusals.js';

/** What the policies that a token brings are called in a trace. */
export const TOKEN_POLICY = 'token';

/** Where a config or a rule comes from; without ids for a token's. */
export interface Origin {
  assignmentId: string | null;
  definitionId: string | null;
  source: PolicySource;
}

/** The origin of what an assignment brings; of what the token does, where there is none. */
export function originOf(assignment: AssignmentFacts | null): Origin {
  if (assignment === null) return { assignmentId: null, definitionId: null, source: 'token' };
  const { id, definition, source } = assignment;
  return { assignmentId: id, definitionId: definition.id, source };
}

/** What came of all configs of one level. */
export interface LevelOutcome<T> {
  /** Null where there is no config, and where it is refused. */
  resolved: T | null;
  refusals: CompiledReason[];
  trace: TraceEntry[];
}

/** What resolving one config gave: a value, or why there is none. */
export type Outcome<T> = { value: T; reasons?: undefined } | { value?: undefined; reasons: CompiledReason[] };

/** Configs of one level that compete: of assignments that apply and have one. */
export interface Contest<T> {
  level: 'cls' | 'sls';
  contenders: readonly AssignmentFacts[];
  /** Asked of the most specific ones alone. */
  resolve: (contender: AssignmentFacts) => Outcome<T>;
  /** The same text for two values exactly if they do the same. Never shown. */
  fingerprintOf: (value: T) => string;
}

export interface ContestOutcome<T> {
  winner: { assignment: AssignmentFacts; value: T } | null;
  /** Why nothing may be read: a config that does not resolve, or two of the same rank that differ. */
  refusals: CompiledReason[];
  trace: TraceEntry[];
}

/**
 * The most specific assignment wins. Several of the same rank must do the same, else nothing may be read: to choose between
 * them would be to guess.
 */
export function settleContest<T>(contest: Contest<T>): ContestOutcome<T> {
  const { contenders, level } = contest;
  const highest = contenders.reduce((rank, contender) => Math.max(rank, rankOf(contender)), -1);
  const leaders = contenders.filter((contender) => rankOf(contender) === highest);
  const [first] = leaders;
  const trace = contenders
    .filter((contender) => rankOf(contender) < highest)
    .map((contender) => entryOf(level, contender, { outcome: 'loses', why: LOSES[level] }));
  if (first === undefined) return { winner: null, refusals: [], trace };
  const outcomes = leaders.map((assignment) => ({ assignment, outcome: contest.resolve(assignment) }));
  const reasons = outcomes.flatMap(({ outcome }) => outcome.reasons ?? []);
  if (reasons.length > 0) return { winner: null, refusals: reasons, trace };
  const values = outcomes.flatMap(({ assignment, outcome }) =>
    outcome.reasons === undefined ? [{ assignment, value: outcome.value }] : [],
  );
  const settled = compareLeaders(contest, values);
  return { ...settled, trace: [...trace, ...settled.trace] };
}

function compareLeaders<T>(
  { level, fingerprintOf }: Contest<T>,
  leaders: readonly { assignment: AssignmentFacts; value: T }[],
): ContestOutcome<T> {
  const [first, ...rest] = leaders;
  if (first === undefined) return { winner: null, refusals: [], trace: [] };
  const fingerprint = fingerprintOf(first.value);
  const differing = rest.filter(({ value }) => fingerprintOf(value) !== fingerprint);
  if (differing.length > 0) {
    const parties = [first, ...differing].map(({ assignment }) => assignment);
    const names = parties.map(phraseOf).join(' and ');
    const why = `${names} are equally specific, and their ${NOUNS[level]} differ.`;
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
        entryOf(level, assignment, { outcome: 'merged', why: 'It says the same as the one that wins.' }),
      ),
    ],
  };
}

const NOUNS = { cls: 'connection-level configs', sls: 'schema-level configs' };
const WINS = 'It is the most specific of those that apply.';
const LOSES = {
  cls: 'A more specific assignment has a connection-level config too.',
  sls: 'A more specific assignment has a schema-level config too; of this one only its allowedSchemas count.',
};
const CONFLICTS = { cls: 'CLS_CONFLICT', sls: 'SLS_CONFLICT' } as const;

/** An assignment in a sentence: its definition's name, and its id. */
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
