import type { InputOf, Services } from '@gatehouse/contract';
import { sourceNameOf, targetsOf, type SourceFacts, type TargetFacts } from './facts.js';
import type { ReferenceNoun } from './references.js';

export type MigrationRequest = InputOf<Services['lifecycle']['procedures']['migrations']['migrate']>;

/** What becomes of a reference. */
export type Choice = { kind: 'reuse'; targetId: string } | { kind: 'copy' } | { kind: 'drop' };

/** The literal that drops the reference to a visual. */
const UNLINK = 'unlink';

/** The nouns that a request may have copied, and the fields that say so. */
export const COPIED_NOUNS = ['domain', 'datamodel', 'visual'] as const;
export type CopiedNoun = (typeof COPIED_NOUNS)[number];
export const MAPPING_FIELDS = {
  connection: 'connectionMapping',
  domain: 'domainMapping',
  datamodel: 'datamodelMapping',
  visual: 'visualMapping',
} as const;
export const CREATE_FIELDS = {
  domain: 'domainsToCreate',
  datamodel: 'datamodelsToCreate',
  visual: 'visualsToCreate',
} as const;
export type MappedNoun = keyof typeof MAPPING_FIELDS;

export function isMapped(noun: ReferenceNoun): noun is MappedNoun {
  return noun !== 'assistantProfile';
}

/** The entries of a mapping, source id first. */
export function entriesOf(request: MigrationRequest, noun: MappedNoun): [string, string | null][] {
  return Object.entries(request[MAPPING_FIELDS[noun]] ?? {});
}

function chosenByMapping(noun: MappedNoun, value: string | null): Choice {
  if (value === null) return { kind: 'copy' };
  if (noun === 'visual' && value === UNLINK) return { kind: 'drop' };
  return { kind: 'reuse', targetId: value };
}

function chosenByRequest(request: MigrationRequest, noun: MappedNoun, id: string): Choice | null {
  const mapping: Record<string, string | null> = request[MAPPING_FIELDS[noun]] ?? {};
  if (Object.hasOwn(mapping, id)) return chosenByMapping(noun, mapping[id] ?? null);
  const isListed = noun !== 'connection' && request[CREATE_FIELDS[noun]]?.includes(id);
  return isListed ? { kind: 'copy' } : null;
}

/** Assistant profiles are mapped by their names: a request has no word for them. */
function chosenByName(source: SourceFacts, target: TargetFacts, id: string): Choice {
  const name = sourceNameOf(source, 'assistantProfile', id);
  const found = target.assistantProfiles.find((profile) => profile.name === name);
  return found === undefined ? { kind: 'drop' } : { kind: 'reuse', targetId: found.id };
}

/** What a request says of a source record; null for nothing. */
export function chooser(
  request: MigrationRequest,
  source: SourceFacts,
  target: TargetFacts,
): (noun: ReferenceNoun, id: string) => Choice | null {
  return (noun, id) =>
    isMapped(noun) ? chosenByRequest(request, noun, id) : chosenByName(source, target, id);
}

/** Whether the target project has a record of this id, as far as the caller may see. */
export function isInTarget(target: TargetFacts, noun: ReferenceNoun, id: string): boolean {
  return targetsOf(target, noun).some((record) => record.id === id);
}
