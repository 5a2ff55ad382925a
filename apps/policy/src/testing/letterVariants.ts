import { caseKey, widestKey } from '../sql/logic/names.js';

/** Whether every case is tested, and not a sample. */
const { env = {} } = import.meta as ImportMeta & { env?: Partial<Record<string, string>> };
export const IS_FULL = env.FUZZ_FULL === '1';

/** Letters with another case are below this point. Above it are ideographs and private-use letters. */
const CASED_END = 0x20000;
const BASIC_PLANE_END = 0x10000;
const LAST_POINT = 0x10ffff;

/** The sample size for letters beyond Latin-1, with and without another case. */
const SAMPLE = { cased: 150, lone: 150 };
/** Full runs test one in this many letters beyond the basic plane, which MySQL's names cannot contain. */
const ASTRAL_STEP = 64;

/** The letters that a name may contain, except NUL and surrogates. */
function lettersFrom(first: number, end: number): string[] {
  const points = Array.from({ length: end - first }, (_, index) => first + index);
  return points
    .filter((point) => point < 0xd800 || point > 0xdfff)
    .map((point) => String.fromCodePoint(point));
}

function every<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, Math.floor(items.length / count));
  return items.filter((_, index) => index % step === 0);
}

/** Groups items by key, in the order of the first items. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/**
 * The letters to test in a name: nearly all, or a sample of those that some comparison treats as a Latin-1
 * letter, and of others.
 */
export function lettersToTry(): string[] {
  const isCased = (letter: string): boolean => caseKey(letter) !== letter;
  const basic = lettersFrom(1, BASIC_PLANE_END);
  const astral = lettersFrom(BASIC_PLANE_END, IS_FULL ? LAST_POINT + 1 : CASED_END);
  if (IS_FULL) return [...basic, ...astral.filter(isCased), ...every(astral, astral.length / ASTRAL_STEP)];
  const isNear = (letter: string): boolean => (caseKey(letter).codePointAt(0) ?? 0) < 0x100;
  const far = [...basic, ...astral].filter((letter) => !isNear(letter));
  const cased = every(far.filter(isCased), SAMPLE.cased);
  const lone = every(
    far.filter((letter) => !isCased(letter)),
    SAMPLE.lone,
  );
  // Both letters of a pair that differs in case.
  const lower = cased.map(caseKey);
  return [...new Set([...basic.filter(isNear), ...cased, ...lower, ...lone])];
}

const variants = groupBy(lettersFrom(1, CASED_END), widestKey);

/** The letters that some comparison treats as equal to the letter. */
export function variantsOf(letter: string): string[] {
  return variants.get(widestKey(letter)) ?? [letter];
}

/** The names that differ in one letter that some comparison treats as equal. */
export function spellingsOf(name: string): string[] {
  const letters = Array.from(name);
  const spellings = letters.flatMap((letter, index) =>
    variantsOf(letter).map((variant) => letters.with(index, variant).join('')),
  );
  return [...new Set([...spellings, name.toUpperCase(), name.toLowerCase()])];
}

/** The name with additions that a server might ignore. */
export function disguisesOf(name: string): string[] {
  const marks = [
    ' ',
    '\t',
    '\u00a0',
    '\u00ad',
    '\u200b',
    '\u200d',
    '\u2060',
    '\u3000',
    '\ufeff',
    '\u0301',
    '.',
  ];
  return marks.flatMap((mark) => [name + mark, mark + name, `${name[0]}${mark}${name.slice(1)}`]);
}
