import type { TemplateFix, ValidationIssue } from '@gatehouse/contract';

const placeOf = ({ code, path }: { code: string; path: string }) => JSON.stringify([code, path]);
const renameOf = ({ from, to }: TemplateFix) => JSON.stringify([from, to]);

/**
 * The renames that repair some issues, among all certain renames of a template. The new name of a table also
 * applies where the template refers to the table; a column of this name in another table is left alone.
 */
export function renamesOf(
  fixes: readonly TemplateFix[],
  issues: readonly Pick<ValidationIssue, 'code' | 'path'>[],
): TemplateFix[] {
  const places = new Set(issues.map(placeOf));
  const tables = new Set(
    fixes.filter((fix) => fix.code === 'ENTITY_NOT_FOUND' && places.has(placeOf(fix))).map(renameOf),
  );
  return fixes.filter(
    (fix) => places.has(placeOf(fix)) || (fix.code === 'ENTITY_NOT_FOUND' && tables.has(renameOf(fix))),
  );
}

/** Returns a copy of a template with some of its renames. Throws RangeError if it lacks one of the places. */
export function withRenames<T extends object>(template: T, fixes: readonly TemplateFix[]): T {
  const renamed = structuredClone(template);
  for (const { path, to } of fixes) {
    const keys = path.split('/').slice(1);
    const names = keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = names.pop() ?? '';
    let parent: unknown = renamed;
    for (const name of names) parent = childOf(parent, name);
    if (typeof childOf(parent, last) !== 'string') throw new RangeError(`nothing to rename is at ${path}`);
    (parent as Record<string, unknown>)[last] = to;
  }
  return renamed;
}

function childOf(parent: unknown, name: string): unknown {
  const isKnown = typeof parent === 'object' && parent !== null && Object.hasOwn(parent, name);
  return isKnown ? (parent as Record<string, unknown>)[name] : undefined;
}
