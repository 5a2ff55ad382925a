import { ACCESS_LEVELS, fieldPath, type ErrorCode, type FieldError } from '@gatehouse/contract';
import {
  chooser,
  COPIED_NOUNS,
  CREATE_FIELDS,
  entriesOf,
  isInTarget,
  isMapped,
  MAPPING_FIELDS,
  type CopiedNoun,
  type MappedNoun,
  type MigrationRequest,
} from './choices.js';
import { sourceNameOf, type SourceFacts, type TargetFacts } from './facts.js';
import { REFERENCE_NOUNS } from './references.js';
import { walkReferences } from './walk.js';

/** One thing that keeps a request from being carried out. */
export interface Problem extends FieldError {
  code: ErrorCode;
}

/** What a request is judged on. */
export interface Judged {
  request: MigrationRequest;
  source: SourceFacts;
  target: TargetFacts;
  /** Whether the caller may create semantic domains, and so copy them. */
  canCreateDomains: boolean;
}

const CALLED = {
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

/** An entry of a mapping: what it names, on either side. */
function judgeEntry(
  { target }: Judged,
  noun: MappedNoun,
  { id, value, isKnown }: { id: string; value: string | null; isKnown: boolean },
): Problem[] {
  const path = [MAPPING_FIELDS[noun], id];
  if (!isKnown)
    return [problem('INVALID_REQUEST', path, `is no ${CALLED[noun]} that the dashboard refers to`)];
  if (value === null || (noun === 'visual' && value === 'unlink')) return [];
  if (value === id) return [problem('INVALID_REQUEST', path, 'is mapped to itself')];
  if (isInTarget(target, noun, value)) return [];
  return [problem('TARGET_RESOURCE_NOT_FOUND', path, `names no ${CALLED[noun]} of the target project`)];
}

/** An entry of a list of what is to be created. */
function judgeListed(
  { request }: Judged,
  noun: CopiedNoun,
  { id, index, isKnown }: { id: string; index: number; isKnown: boolean },
): Problem[] {
  const field = CREATE_FIELDS[noun];
  const path = [field, index];
  if (!isKnown)
    return [problem('INVALID_REQUEST', path, `is no ${CALLED[noun]} that the dashboard refers to`)];
  if ((request[field] ?? []).indexOf(id) < index) return [problem('INVALID_REQUEST', path, 'is there twice')];
  const mapping: Record<string, string | null> = request[MAPPING_FIELDS[noun]] ?? {};
  const isOtherwise = Object.hasOwn(mapping, id) && mapping[id] !== null;
  return isOtherwise ? [problem('INVALID_REQUEST', path, `is mapped in ${MAPPING_FIELDS[noun]}`)] : [];
}

/** What the request names: all of it has to be what the dashboard refers to, whether it is needed in the end or not. */
function judgeNamed(judged: Judged): Problem[] {
  const { request, source } = judged;
  const known = walkReferences(source, () => true);
  return MAPPED_NOUNS.flatMap((noun) => {
    const entries = entriesOf(request, noun).flatMap(([id, value]) =>
      judgeEntry(judged, noun, { id, value, isKnown: known[noun].has(id) }),
    );
    if (noun === 'connection') return entries;
    const listed = (request[CREATE_FIELDS[noun]] ?? []).flatMap((id, index) =>
      judgeListed(judged, noun, { id, index, isKnown: known[noun].has(id) }),
    );
    return [...entries, ...listed];
  });
}

/** What a copy needs to be made of. */
function judgeCopy({ source, canCreateDomains }: Judged, noun: MappedNoun, id: string): Problem[] {
  const path = [MAPPING_FIELDS[noun], id];
  if (sourceNameOf(source, noun, id) === null)
    return [
      problem('INVALID_REQUEST', path, 'is not in the source project any more: there is nothing to copy'),
    ];
  if (noun !== 'domain' || canCreateDomains) return [];
  const message = 'Creating a semantic domain needs the ADMIN role and a token that may access all domains';
  return [problem('FORBIDDEN', path, message)];
}

/** What the migration needs: every reference that the copies will have needs something to refer to. */
function judgeNeeded(judged: Judged): Problem[] {
  const { request, source, target } = judged;
  const choose = chooser(request, source, target);
  const met = walkReferences(source, (noun, id) => choose(noun, id)?.kind === 'copy');
  return REFERENCE_NOUNS.filter(isMapped).flatMap((noun) =>
    [...met[noun]].flatMap((id) => {
      const choice = choose(noun, id);
      if (choice?.kind === 'copy') return judgeCopy(judged, noun, id);
      if (choice !== null) return [];
      const how = noun === 'connection' ? 'mapped' : `mapped nor listed in ${CREATE_FIELDS[noun]}`;
      const message = noun === 'connection' ? `is not ${how}` : `is neither ${how}`;
      return [problem('MISSING_MAPPING', [MAPPING_FIELDS[noun], id], message)];
    }),
  );
}

const EDITOR = ACCESS_LEVELS.indexOf('EDITOR');

function judgeReplaced({ request, target }: Judged): Problem[] {
  if (request.replaceExistingId === undefined) return [];
  const path = ['replaceExistingId'];
  const { dashboard } = target;
  if (dashboard === null)
    return [problem('REPLACE_TARGET_NOT_FOUND', path, 'names no dashboard of the target project')];
  if (dashboard.isDataApp) return [problem('DATA_APP_NOT_SUPPORTED', path, 'is a Data App')];
  if (ACCESS_LEVELS.indexOf(dashboard.level) >= EDITOR) return [];
  return [problem('FORBIDDEN', path, 'Replacing a dashboard needs EDITOR access to it')];
}

function judgeMessage({ request, target }: Judged): Problem[] {
  if (target.commitOnSave !== 'required' || request.commitMessage !== undefined) return [];
  return [problem('COMMIT_MESSAGE_REQUIRED', ['commitMessage'], 'is required by the target project')];
}

/** Everything that keeps a request from being carried out; nothing when it can be. */
export function findProblems(judged: Judged): Problem[] {
  return [...judgeNamed(judged), ...judgeNeeded(judged), ...judgeReplaced(judged), ...judgeMessage(judged)];
}

/** Of several problems the code that is answered: what is wrong with the request itself comes first. */
const CODE_ORDER: readonly ErrorCode[] = [
  'INVALID_REQUEST',
  'MISSING_MAPPING',
  'COMMIT_MESSAGE_REQUIRED',
  'REPLACE_TARGET_NOT_FOUND',
  'TARGET_RESOURCE_NOT_FOUND',
  'FORBIDDEN',
  'DATA_APP_NOT_SUPPORTED',
];

/** The code that stands for all of the problems; null where there are none. */
export function codeOf(problems: readonly Problem[]): ErrorCode | null {
  return CODE_ORDER.find((code) => problems.some((found) => found.code === code)) ?? null;
}
