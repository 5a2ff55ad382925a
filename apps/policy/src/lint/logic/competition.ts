import type { LintWarning } from '@gatehouse/contract';
import { placeholdersOf } from '@gatehouse/contract/placeholders';
import { canonicalJson } from '../../preview/logic/diffPreviews.js';
import {
  replaceConfigSecrets,
  replaceSecrets,
  type SecretReplacement,
} from '../../secrets/logic/secretParams.js';
import type { LintAssignment, LintDefinition } from './request.js';
import type { Work } from './work.js';

/** An assignment with its definition. */
export interface Party {
  assignment: LintAssignment;
  definition: LintDefinition;
}

type Level = 'clsConfig' | 'slsConfig';
const LEVELS: readonly Level[] = ['clsConfig', 'slsConfig'];
/** Comparing this many characters takes as long as one step. */
const CHARACTERS_PER_STEP = 16;

/**
 * The effects of assignments to the same actor on each other, if they are the same for every token and
 * request.
 */
export function* lintCompetition(parties: readonly Party[], work: Work): Generator<LintWarning[], void> {
  const byActor = new Map<string, Party[]>();
  for (const party of parties) {
    const { scopeType, actorKey } = party.assignment;
    const key = JSON.stringify([scopeType, actorKey]);
    const group = byActor.get(key);
    if (group) group.push(party);
    else byActor.set(key, [party]);
  }
  for (const group of byActor.values()) for (const level of LEVELS) yield* lintRivals(group, level, work);
}

/** Compares each party with the first one of the same actor that has a config of the level. */
function* lintRivals(group: readonly Party[], level: Level, work: Work): Generator<LintWarning[], void> {
  const [first, ...rest] = group.filter(({ definition }) => definition[level] !== null);
  if (first === undefined) return;
  const effect = rest.length === 0 ? '' : effectOf(first, level);
  for (const party of rest) {
    const own = effectOf(party, level);
    if (!work.spend(1 + own.length / CHARACTERS_PER_STEP)) return;
    yield lintRival(first, party, { level, isSame: own === effect });
  }
}

function lintRival(
  first: Party,
  party: Party,
  { level, isSame }: { level: Level; isSame: boolean },
): LintWarning[] {
  const at = { path: level, definitionId: party.definition.id, assignmentId: party.assignment.id };
  const other = `"${first.definition.name}" (${first.assignment.id})`;
  if (isSame) {
    const message = `${other} has the same effect for the same actor, so this one has no effect of its own.`;
    return [{ ...at, code: 'SHADOWED_ASSIGNMENT', message }];
  }
  if (!certainlyDiffers(first, party, level)) return [];
  const message = `${other} has another effect for the same actor, so everything is denied to it.`;
  return [{ ...at, code: 'CONTRADICTION', message }];
}

function textsOf({ clsConfig, slsConfig }: LintDefinition, level: Level): string[] {
  if (level === 'slsConfig') return [slsConfig?.schemaTemplate ?? ''];
  return [clsConfig?.connectionTemplate ?? '', ...Object.values(clsConfig?.filePathTemplates ?? {})];
}

/**
 * Replaces a secret value by a text that is unique to the record, so that no warning reveals whether two
 * records hold the same secret.
 */
const recordSecret =
  (record: string | null): SecretReplacement =>
  ({ path }) => ['@secret', record ?? 'unsaved', path];

/**
 * The config, and the values that the assignment sets for its names: everything that distinguishes two
 * parties.
 */
function effectOf({ definition, assignment }: Party, level: Level): string {
  const own = level === 'clsConfig' ? Object.keys(definition.clsConfig?.params ?? {}) : [];
  const names = new Set([...textsOf(definition, level).flatMap(placeholdersOf), ...own]);
  const params = replaceSecrets(assignment.params, 'params', recordSecret(assignment.id));
  const values = Object.entries(params).filter(([name]) => names.has(name));
  const configs = replaceConfigSecrets(definition, recordSecret(definition.id));
  return canonicalJson([configs[level], Object.fromEntries(values)]);
}

/** Whether the parties differ in texts that no value can change. */
function certainlyDiffers(a: Party, b: Party, level: Level): boolean {
  const texts = [a, b].flatMap(({ definition }) => textsOf(definition, level));
  if (texts.some((text) => placeholdersOf(text).length > 0)) return false;
  return fixedPart(a.definition, level) !== fixedPart(b.definition, level);
}

function fixedPart({ clsConfig, slsConfig }: LintDefinition, level: Level): string {
  if (level === 'clsConfig')
    return canonicalJson([clsConfig?.connectionTemplate ?? null, clsConfig?.filePathTemplates ?? null]);
  const fixed = slsConfig?.schema ?? slsConfig?.schemaTemplate ?? null;
  const allowed = slsConfig?.allowedSchemas ?? (fixed === null ? null : [fixed]);
  return canonicalJson([
    fixed,
    slsConfig?.defaultSchema ?? null,
    allowed && [...new Set(allowed)].toSorted(),
  ]);
}
