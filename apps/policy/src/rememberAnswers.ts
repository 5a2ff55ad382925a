import type { Catalog } from '@gatehouse/contract';
import { countLookup, RecentMap } from '@gatehouse/service';
import type { Restriction, SqlEngine } from './logic/model.js';

/** What all that is remembered takes, in characters of its questions and answers. */
const REMEMBERED_CHARACTERS = 32 * 1024 * 1024;
/** What is larger is worked out anew: few of it would fill the memory. */
const ANSWER_CHARACTERS_MAX = 512 * 1024;

/**
 * An engine that remembers its answers. An answer depends on nothing but the question, and the question is the key, whole:
 * the statement, every rule with its values, the schemas, the dialect and the very catalog. So nobody is given what was
 * worked out for another unless the two ask the same to the letter. A question that fails is asked again.
 */
export function rememberAnswers(engine: SqlEngine): SqlEngine {
  const restrictions = new RecentMap<Restriction>(REMEMBERED_CHARACTERS);
  const expressions = new RecentMap<{ printed: string | null }>(REMEMBERED_CHARACTERS);
  const numberOf = createCatalogNumbers();
  return {
    checkExpression: (...question) => engine.checkExpression(...question),
    analyzeExpression: (...question) => engine.analyzeExpression(...question),
    async restrict(request) {
      const { catalog, ...rest } = request;
      const key = JSON.stringify([numberOf(catalog), rest]);
      const known = restrictions.get(key);
      countLookup('restrictions', known !== undefined);
      if (known) return known;
      const answer = freeze(await engine.restrict(request));
      remember(restrictions, key, { value: answer, characters: JSON.stringify(answer).length });
      return answer;
    },
    async printExpression(expression, values, dialect) {
      const key = JSON.stringify([expression, values, dialect]);
      const known = expressions.get(key);
      countLookup('expressions', known !== undefined);
      if (known) return known.printed;
      const printed = await engine.printExpression(expression, values, dialect);
      remember(expressions, key, { value: { printed }, characters: printed?.length ?? 0 });
      return printed;
    },
  };
}

function remember<V>(
  map: RecentMap<V>,
  key: string,
  { value, characters }: { value: V; characters: number },
): void {
  const weight = key.length + characters;
  if (weight <= ANSWER_CHARACTERS_MAX) map.set(key, value, weight);
}

/** Numbers catalogs as they come: a catalog is never changed, and a new version of it is another object. */
function createCatalogNumbers(): (catalog: Catalog | null) => number {
  const numbers = new WeakMap<Catalog, number>();
  let last = 0;
  return (catalog) => {
    if (catalog === null) return 0;
    const number = numbers.get(catalog) ?? (last += 1);
    numbers.set(catalog, number);
    return number;
  };
}

/** Answers are shared by all who ask the same, so nothing in them may be changed. */
function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const child of Object.values(value)) freeze(child);
  return value;
}
