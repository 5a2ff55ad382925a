import { FIELD_ERROR_CODES } from '@gatehouse/contract';

/** A fault of a field, as an error body names it. */
export interface WireFault {
  field: string;
  code: string;
}

const FAULT_CODES: readonly string[] = FIELD_ERROR_CODES;

function read(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

/** The code in an error body of any area, unchanged; undefined in the form that has none. */
export function wireCodeOf(body: unknown): string | undefined {
  const [first] = (read(body, 'errors') ?? []) as unknown[];
  const code = read(body, 'code') ?? read(read(body, 'error'), 'code') ?? read(first, 'code');
  return typeof code === 'string' ? code : undefined;
}

/** All faults of fields in an error body of any area. */
export function wireFaultsIn(body: unknown): WireFault[] {
  if (typeof body !== 'object' || body === null) return [];
  const code = read(body, 'code');
  const field = read(body, 'field') ?? read(body, 'path');
  if (typeof field === 'string' && typeof code === 'string' && FAULT_CODES.includes(code))
    return [{ field, code }];
  return Object.values(body).flatMap(wireFaultsIn);
}
