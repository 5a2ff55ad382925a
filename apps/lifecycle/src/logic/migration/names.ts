const DOMAIN_NAME_MAX = 100;
const DATA_MODEL_NAME_MAX = 200;
const LETTERS = 26;

/** 1 is `a`, 26 is `z`, 27 is `aa`: a count for names that may hold no digits. */
function lettersOf(count: number): string {
  let rest = count;
  let letters = '';
  while (rest > 0) {
    rest -= 1;
    letters = String.fromCharCode('a'.charCodeAt(0) + (rest % LETTERS)) + letters;
    rest = Math.floor(rest / LETTERS);
  }
  return letters;
}

/** The name followed by the first suffix that makes it free, cut to fit, between characters. */
function firstFree(
  name: string,
  taken: ReadonlySet<string>,
  { suffixOf, max }: { suffixOf: (attempt: number) => string; max: number },
): string {
  if (!taken.has(name)) return name;
  for (let attempt = 1; ; attempt += 1) {
    const suffix = suffixOf(attempt);
    const candidate = name.slice(0, max - suffix.length).replace(/[\uD800-\uDBFF]$/, '') + suffix;
    if (!taken.has(candidate)) return candidate;
  }
}

/** The name of the copy of a semantic domain: its own, else `sales_copy`, `sales_copy_b`, `sales_copy_c` and so on. */
export function nameOfDomainCopy(name: string, taken: ReadonlySet<string>): string {
  const suffixOf = (attempt: number) => (attempt === 1 ? '_copy' : `_copy_${lettersOf(attempt)}`);
  return firstFree(name, taken, { suffixOf, max: DOMAIN_NAME_MAX });
}

/** The name of the copy of a data model: its own, else `Sales (Copy)`, `Sales (Copy 2)` and so on. */
export function nameOfDataModelCopy(name: string, taken: ReadonlySet<string>): string {
  const suffixOf = (attempt: number) => (attempt === 1 ? ' (Copy)' : ` (Copy ${attempt})`);
  return firstFree(name, taken, { suffixOf, max: DATA_MODEL_NAME_MAX });
}
