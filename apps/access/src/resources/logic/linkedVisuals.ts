function arrayIn(value: unknown, key: string): readonly unknown[] {
  const found = valueIn(value, key);
  return Array.isArray(found) ? found : [];
}

function valueIn(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

/**
 * Returns the distinct ids of the saved visuals that a dashboard's template links, at
 * `sheets[].frames[].visualId`. A template is arbitrary JSON of the caller: everything else in it is ignored.
 */
export function linkedVisualIds(template: unknown): string[] {
  const ids = new Set<string>();
  for (const sheet of arrayIn(template, 'sheets')) {
    for (const frame of arrayIn(sheet, 'frames')) {
      const id = valueIn(frame, 'visualId');
      if (typeof id === 'string' && id !== '') ids.add(id);
    }
  }
  return [...ids];
}
