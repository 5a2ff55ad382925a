import {
  ACCESS_LEVELS,
  fieldPath,
  withName,
  type ErrorCode,
  type InputOf,
  type Services,
} from '@gatehouse/contract';
import {
  REFERENCE_NOUNS,
  sourceNameOf,
  targetsOf,
  walkReferences,
  type ReferenceNoun,
  type SourceFacts,
  type TargetFacts,
} from './facts.js';

export type MigrationRequest = InputOf<Services['lifecycle']['procedures']['migrations']['migrate']>;

/** Everything that a request is checked against. */
export interface RequestFacts {
  request: MigrationRequest;
  source: SourceFacts;
  target: TargetFacts;
  /** Whether the caller may create semantic domains, and so copy them. */
  canCreateDomains: boolean;
}

/** The request's choice for a reference. */
export type Choice = { kind: 'reuse'; targetId: string } | { kind: 'copy' } | { kind: 'drop' };

/** The value of a mapping that drops the reference to a visual. */
const UNLINK = 'unlink';

/** The nouns that a request may copy, and the fields of the request for each noun. */
export const COPIED_NOUNS = ['domain', 'datamodel', 'visual'] as const;
export type CopiedNoun = (typeof COPIED_NOUNS)[number];
const MAPPING_FIELDS = {
  connection: 'connectionMapping',
  domain: 'domainMapping',
  datamodel: 'datamodelMapping',
  visual: 'visualMapping',
} as const;
const CREATE_FIELDS = {
  domain: 'domainsToCreate',
  datamodel: 'datamodelsToCreate',
  visual: 'visualsToCreate',
} as const;
type MappedNoun = keyof typeof MAPPING_FIELDS;

function isMapped(noun: ReferenceNoun): noun is MappedNoun {
  return noun !== 'assistantProfile';
}

/** The entries of a mapping, source id first. */
function entriesOf(request: MigrationRequest, noun: MappedNoun): [string, string | null][] {
  return Object.entries(request[MAPPING_FIELDS[noun]] ?? {});
}

function chooseByMapping(noun: MappedNoun, value: string | null): Choice {
  if (value === null) return { kind: 'copy' };
  if (noun === 'visual' && value === UNLINK) return { kind: 'drop' };
  return { kind: 'reuse', targetId: value };
}

function chooseByRequest(request: MigrationRequest, noun: MappedNoun, id: string): Choice | null {
  const mapping: Record<string, string | null> = request[MAPPING_FIELDS[noun]] ?? {};
  if (Object.hasOwn(mapping, id)) return chooseByMapping(noun, mapping[id] ?? null);
  const isListed = noun !== 'connection' && request[CREATE_FIELDS[noun]]?.includes(id);
  return isListed ? { kind: 'copy' } : null;
}

/** Maps an assistant profile by its name: a request has no field for profiles. */
function chooseByName(source: SourceFacts, target: TargetFacts, id: string): Choice {
  const name = sourceNameOf(source, 'assistantProfile', id);
  const found = target.assistantProfiles.find((profile) => profile.name === name);
  return found === undefined ? { kind: 'drop' } : { kind: 'reuse', targetId: found.id };
}

/** Creates the function that returns the request's choice for a source record; null without a choice. */
export function createChooser(
  request: MigrationRequest,
  source: SourceFacts,
  target: TargetFacts,
): (noun: ReferenceNoun, id: string) => Choice | null {
  return (noun, id) =>
    isMapped(noun) ? chooseByRequest(request, noun, id) : chooseByName(source, target, id);
}

/** Whether the caller sees a record of this id in the target project. */
function isInTarget(target: TargetFacts, noun: ReferenceNoun, id: string): boolean {
  return targetsOf(target, noun).some((record) => record.id === id);
}

/** One reason why a request cannot be carried out. */
export interface Problem {
  field: string;
  message: string;
  code: ErrorCode;
}

const LABELS = {
  connection: 'connection',
  domain: 'semantic domain',
  datamodel: 'data model',
  visual: 'visual',
} as const;
const MAPPED_NOUNS = ['connection', ...COPIED_NOUNS] as const;

const problem = (code: ErrorCode, path: readonly PropertyKey[], message: string): Problem => ({
  code,
  field: fieldPath(path),
  message,
});

/** Checks an entry of a mapping: both ids must exist. */
function checkEntry(
  { target }: RequestFacts,
  noun: MappedNoun,
  { id, value, isKnown }: { id: string; value: string | null; isKnown: boolean },
): Problem[] {
  const path = [MAPPING_FIELDS[noun], id];
  if (!isKnown)
    return [
      problem('INVALID_REQUEST', path, withName(`is no ${LABELS[noun]} that the dashboard refers to`, id)),
    ];
  if (value === null || (noun === 'visual' && value === UNLINK)) return [];
  if (value === id) return [problem('INVALID_REQUEST', path, 'is mapped to itself')];
  if (isInTarget(target, noun, value)) return [];
  const message = withName(`names no ${LABELS[noun]} of the target project`, value);
  return [problem('TARGET_RESOURCE_NOT_FOUND', path, message)];
}

/** Checks an entry of a list of records to create. */
function checkListed(
  { request }: RequestFacts,
  noun: CopiedNoun,
  { id, index, isKnown }: { id: string; index: number; isKnown: boolean },
): Problem[] {
  const field = CREATE_FIELDS[noun];
  const path = [field, index];
  if (!isKnown)
    return [
      problem('INVALID_REQUEST', path, withName(`is no ${LABELS[noun]} that the dashboard refers to`, id)),
    ];
  if ((request[field] ?? []).indexOf(id) < index) return [problem('INVALID_REQUEST', path, 'is duplicated')];
  const mapping: Record<string, string | null> = request[MAPPING_FIELDS[noun]] ?? {};
  const isOtherwise = Object.hasOwn(mapping, id) && mapping[id] !== null;
  return isOtherwise ? [problem('INVALID_REQUEST', path, `is mapped in ${MAPPING_FIELDS[noun]}`)] : [];
}

/**
 * Checks the ids in the request: the dashboard must refer to each of them, even if the migration does not
 * need it.
 */
function checkNamed(facts: RequestFacts): Problem[] {
  const { request, source } = facts;
  const known = walkReferences(source, () => true);
  return MAPPED_NOUNS.flatMap((noun) => {
    const entries = entriesOf(request, noun).flatMap(([id, value]) =>
      checkEntry(facts, noun, { id, value, isKnown: known[noun].has(id) }),
    );
    if (noun === 'connection') return entries;
    const listed = (request[CREATE_FIELDS[noun]] ?? []).flatMap((id, index) =>
      checkListed(facts, noun, { id, index, isKnown: known[noun].has(id) }),
    );
    return [...entries, ...listed];
  });
}

/** Checks that a record can be copied. */
function checkCopy({ source, canCreateDomains }: RequestFacts, noun: MappedNoun, id: string): Problem[] {
  const path = [MAPPING_FIELDS[noun], id];
  if (sourceNameOf(source, noun, id) === null)
    return [
      problem('INVALID_REQUEST', path, 'is not in the source project any more: there is nothing to copy'),
    ];
  if (noun !== 'domain' || canCreateDomains) return [];
  const message =
    'Creating a semantic domain needs an ADMIN with a project token that may access all domains';
  return [problem('FORBIDDEN', path, message)];
}

/** Checks that every reference of the copies has a choice. */
function checkNeeded(facts: RequestFacts): Problem[] {
  const { request, source, target } = facts;
  const choose = createChooser(request, source, target);
  const reached = walkReferences(source, (noun, id) => choose(noun, id)?.kind === 'copy');
  return REFERENCE_NOUNS.filter(isMapped).flatMap((noun) =>
    [...reached[noun]].flatMap((id) => {
      const choice = choose(noun, id);
      if (choice?.kind === 'copy') return checkCopy(facts, noun, id);
      if (choice !== null) return [];
      const how = noun === 'connection' ? 'mapped' : `mapped nor listed in ${CREATE_FIELDS[noun]}`;
      const message = noun === 'connection' ? `is not ${how}` : `is neither ${how}`;
      return [problem('MISSING_MAPPING', [MAPPING_FIELDS[noun], id], message)];
    }),
  );
}

const EDITOR = ACCESS_LEVELS.indexOf('EDITOR');

function checkReplaced({ request, target }: RequestFacts): Problem[] {
  if (request.replaceExistingId === undefined) return [];
  const path = ['replaceExistingId'];
  const { dashboard } = target;
  if (dashboard === null) {
    const message = withName('names no dashboard of the target project', request.replaceExistingId);
    return [problem('REPLACE_TARGET_NOT_FOUND', path, message)];
  }
  if (dashboard.isDataApp) return [problem('DATA_APP_NOT_SUPPORTED', path, 'is a Data App')];
  if (ACCESS_LEVELS.indexOf(dashboard.level) >= EDITOR) return [];
  return [problem('FORBIDDEN', path, 'Replacing a dashboard needs EDITOR access to it')];
}

function checkCommitMessage({ request, target }: RequestFacts): Problem[] {
  if (target.commitOnSave !== 'required' || request.commitMessage !== undefined) return [];
  return [problem('COMMIT_MESSAGE_REQUIRED', ['commitMessage'], 'is required by the target project')];
}

/** Finds everything that prevents a request from being carried out. */
export function findProblems(facts: RequestFacts): Problem[] {
  return [...checkNamed(facts), ...checkNeeded(facts), ...checkReplaced(facts), ...checkCommitMessage(facts)];
}

/** The precedence of codes when a request has several problems. Errors of the request itself come first. */
const CODE_ORDER: readonly ErrorCode[] = [
  'INVALID_REQUEST',
  'MISSING_MAPPING',
  'COMMIT_MESSAGE_REQUIRED',
  'REPLACE_TARGET_NOT_FOUND',
  'TARGET_RESOURCE_NOT_FOUND',
  'FORBIDDEN',
  'DATA_APP_NOT_SUPPORTED',
];

/** The code with the highest precedence; null without problems. */
export function codeOf(problems: readonly Problem[]): ErrorCode | null {
  return CODE_ORDER.find((code) => problems.some((found) => found.code === code)) ?? null;
}
