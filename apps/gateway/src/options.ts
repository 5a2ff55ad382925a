import {
  AppError,
  fieldErrorsOf,
  findSelectable,
  invalidField,
  ROUTE_OPTIONS,
  type FieldNames,
  type Route,
  type SelectableRecords,
} from '@gatehouse/contract';
import { z } from 'zod';

/** The chosen fields of a record, each with those of the record in it; null for all of it. */
interface Selection {
  [name: string]: Selection | null;
}

/** The options of a request. */
export interface RequestOptions {
  /** The call changes nothing. */
  validateOnly: boolean;
  /** Reduces a response to the chosen fields; null for the whole response. */
  select: ((output: unknown) => unknown) | null;
}

export const NO_OPTIONS: RequestOptions = { validateOnly: false, select: null };

const Options = z.object(ROUTE_OPTIONS);

/**
 * Reads the options in the query of a request.
 * @throws INVALID_REQUEST that names each option with an invalid value
 */
export function readOptions(
  selectable: SelectableRecords | null,
  given: Readonly<Record<string, unknown>>,
): RequestOptions {
  const parsed = Options.safeParse(given);
  if (!parsed.success) throw new AppError('INVALID_REQUEST', { fieldErrors: fieldErrorsOf(parsed.error) });
  const { validateOnly = false, fields } = parsed.data;
  if (fields === undefined || selectable === null) return { validateOnly, select: null };
  const selection = readSelection(fields, selectable.names);
  const places = selectable.places.map((place) => place.split('.'));
  const select = (output: unknown) =>
    places.reduce((reduced, place) => replaceAt(reduced, place, (found) => pick(found, selection)), output);
  return { validateOnly, select };
}

export const selectableOf = (route: Route): SelectableRecords | null =>
  route.options.includes('fields') ? findSelectable(route) : null;

/** Throws INVALID_REQUEST with the names that are valid instead of the first unknown one. */
function readSelection(fields: string, names: FieldNames): Selection {
  const selection: Selection = {};
  for (const path of fields.split(',')) addPath(selection, path.split('.'), { names, path });
  return selection;
}

function addPath(
  selection: Selection,
  [name = '', ...rest]: string[],
  { names, path }: { names: FieldNames; path: string },
): void {
  const inner = Object.hasOwn(names, name) ? names[name] : undefined;
  if (inner === undefined) {
    const valid = Object.keys(names);
    const known = valid.length === 0 ? 'its parent has no fields' : `use ${valid.join(', ')}`;
    throw invalidField('fields', `has the unknown name ${JSON.stringify(path)}: ${known}`, 'enum');
  }
  const chosen = Object.hasOwn(selection, name) ? selection[name] : undefined;
  if (rest.length === 0 || chosen === null) selection[name] = null;
  else addPath((selection[name] = chosen ?? {}), rest, { names: inner, path });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function pick(value: unknown, selection: Selection): unknown {
  if (Array.isArray(value)) return value.map((item) => pick(item, selection));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => name === 'id' || Object.hasOwn(selection, name));
  return Object.fromEntries(
    kept.map(([name, part]) => {
      const inner = Object.hasOwn(selection, name) ? selection[name] : null;
      return [name, inner ? pick(part, inner) : part];
    }),
  );
}

/** A copy with another value at a place. */
function replaceAt(value: unknown, [name, ...rest]: string[], replace: (found: unknown) => unknown): unknown {
  if (name === undefined) return replace(value);
  if (!isObject(value) || !Object.hasOwn(value, name)) return value;
  return { ...value, [name]: replaceAt(value[name], rest, replace) };
}
