const byCodeUnits = ([left]: [string, unknown], [right]: [string, unknown]) => (left < right ? -1 : 1);

/**
 * A JSON value in the canonical form of RFC 8785: members sorted by the UTF-16 units of their names, no white
 * space, numbers and texts as in ECMAScript.
 *
 * @throws TypeError for a value that JSON cannot represent
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).toSorted(byCodeUnits);
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
  }
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined || (typeof value === 'number' && !Number.isFinite(value)))
    throw new TypeError('No JSON value');
  return text;
}
