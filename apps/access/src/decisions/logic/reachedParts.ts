import type { ResourceFacts, ShareFacts } from './access.js';

/** Returns what a user with these subjects reaches of a resource: the resource with their shares alone. */
export type ReachedPart = (subjects: readonly string[]) => ResourceFacts;

/** Prepares a resource for the decisions on many users: each would look through all of its shares. */
export function partsBySubject(resource: ResourceFacts): ReachedPart {
  const bySubject = new Map<string, ShareFacts[]>();
  for (const share of resource.shares) {
    const known = bySubject.get(share.subject);
    if (known === undefined) bySubject.set(share.subject, [share]);
    else known.push(share);
  }
  return (subjects) => ({ ...resource, shares: subjects.flatMap((each) => bySubject.get(each) ?? []) });
}
