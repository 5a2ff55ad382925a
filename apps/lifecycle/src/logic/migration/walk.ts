import { referencesOf, type SourceFacts } from './facts.js';
import { REFERENCE_NOUNS, referencesIn, type ReferencedIds, type ReferenceNoun } from './references.js';

/** Every id that was met, by what it names, in the order in which it was first met. */
export type MetIds = Record<ReferenceNoun, Set<string>>;

/**
 * Goes through what a dashboard refers to, and on through what `isFollowed` says of it, each once. Circles among visuals
 * come to an end by that.
 */
export function walkReferences(
  source: SourceFacts,
  isFollowed: (noun: ReferenceNoun, id: string) => boolean,
): MetIds {
  const met: MetIds = {
    connection: new Set(),
    domain: new Set(),
    datamodel: new Set(),
    visual: new Set(),
    assistantProfile: new Set(),
  };
  const open: ReferencedIds[] = [referencesIn(source.dashboard.template, 'template')];
  for (let references = open.pop(); references !== undefined; references = open.pop()) {
    for (const noun of REFERENCE_NOUNS) {
      const fresh = [...references[noun]].filter((id) => !met[noun].has(id));
      for (const id of fresh) met[noun].add(id);
      const followed = fresh.filter((id) => isFollowed(noun, id));
      open.push(...followed.map((id) => referencesOf(source, noun, id)));
    }
  }
  return met;
}
