import { RecentMap } from '@gatehouse/service';
import type { ActorFacts } from '../logic/model.js';
import type { Assigned, Ground } from '../store/assignments.js';
import { ALL_TENANTS_KEY } from '../store/documents.js';
import type { Stores } from '../store/stores.js';

/** The keys that an assignment which may apply to the actor names. */
export function candidateKeys({ kind, key, tenantKey }: ActorFacts): string[] {
  const own = [key, tenantKey].filter((each) => each !== null);
  return kind === 'ORG_USER' ? own : [ALL_TENANTS_KEY, ...own];
}

/** Reads the assignments that may apply to an actor, once it is known. Each time anew, but for what was read early. */
export type CandidateReader = (actor: ActorFacts) => Promise<Assigned[]>;

/** Characters of names and keys. */
const REMEMBERED_KEYS = 1_000_000;

/**
 * Reads the assignments that may apply to an actor while the directory is still asked who that is: by the keys that it had the last
 * time. That saves a preview one of two trips. What was read so counts only when the keys turn out to be the same; it does not
 * grow with the assignments of others.
 */
export class EarlyCandidates {
  readonly #stores: Pick<Stores, 'assignments'>;
  readonly #keys = new RecentMap<readonly string[]>(REMEMBERED_KEYS);

  constructor(stores: Pick<Stores, 'assignments'>) {
    this.#stores = stores;
  }

  /** @param actorName names the actor and its organization */
  begin(actorName: string, ground: Ground): CandidateReader {
    const guessed = this.#keys.get(actorName);
    let early = guessed && this.#stores.assignments.listAssigned(ground, guessed);
    // Whoever asks for it is told.
    early?.catch(() => undefined);
    return (actor) => {
      const keys = candidateKeys(actor);
      const found = guessed?.join() === keys.join() ? early : undefined;
      early = undefined;
      this.#keys.set(actorName, keys, actorName.length + keys.join().length);
      return found ?? this.#stores.assignments.listAssigned(ground, keys);
    };
  }
}
