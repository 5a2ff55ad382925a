type Values = Readonly<Record<string, unknown>>;

/** A field error of a response. */
export interface FieldFault {
  field: string;
  message: string;
}

/** Whether two values of a field are the same JSON. */
export function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** The fields whose value differs from the saved one. */
export function changesOf(saved: Values, values: Values): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => !isSame(value, saved[name])));
}

/** Those of the names whose value is missing: null, an empty text or an empty list. */
export function missingValues(values: Values, names: readonly string[]): string[] {
  return names.filter((name) => {
    const value = values[name] ?? '';
    return value === '' || (Array.isArray(value) && value.length === 0);
  });
}

/** The field errors of a response by field; an error within a field belongs to the field. */
export function errorsByField(
  faults: readonly FieldFault[],
  names: readonly string[],
): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { field, message } of faults) {
    const name = names.find(
      (known) => field === known || field.startsWith(`${known}.`) || field.startsWith(`${known}[`),
    );
    if (name === undefined) continue;
    const text = field === name ? message : `${field.slice(name.length).replace(/^\./, '')} ${message}`;
    errors[name] = name in errors ? `${errors[name]}; ${text}` : text;
  }
  return errors;
}

/** The errors of a response that are beside no field. */
export function faultsBeside(faults: readonly FieldFault[], names: readonly string[]): FieldFault[] {
  return faults.filter((fault) => Object.keys(errorsByField([fault], names)).length === 0);
}

/** Whether a value, or a part of it, is the mark of what cannot be saved. */
export function contains(value: unknown, mark: symbol): boolean {
  if (typeof value !== 'object' || value === null) return value === mark;
  return Object.values(value).some((part) => contains(part, mark));
}

/** A value of a field as a text, for a comparison of two versions. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ') || '–';
  return JSON.stringify(value, null, 2);
}
