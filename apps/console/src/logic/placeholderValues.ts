import type { Params, PolicyDefinition } from '@gatehouse/contract';
import { isBuiltInName, placeholdersOf as namesOf } from '@gatehouse/contract/placeholders';

/** A placeholder that an assignment may give a value for. */
export interface Placeholder {
  name: string;
  /** Whether a condition uses it as a list. */
  isList: boolean;
  /** Whether the definition has a value for it, which an assignment overrides. */
  hasDefault: boolean;
}

const LIST = /\b(?:IN|ANY)\s*\(\s*\{\{[ \t]*([\w.-]+)[ \t]*\}\}\s*\)/gi;
const listsIn = (text: string) => [...text.matchAll(LIST)].map(([, name = '']) => name);

/** The placeholders of a definition, in the order of their first use. */
export function placeholdersOf({
  rlsConfig,
  slsConfig,
  clsConfig,
}: Pick<PolicyDefinition, 'rlsConfig' | 'slsConfig' | 'clsConfig'>): Placeholder[] {
  const rules = rlsConfig?.rules ?? [];
  const lists = new Set(rules.flatMap(({ expression }) => listsIn(expression)));
  const defaults = new Set([...rules, clsConfig].flatMap((part) => Object.keys(part?.params ?? {})));
  const templates = [
    ...rules.map(({ expression }) => expression),
    slsConfig?.schemaTemplate,
    clsConfig?.connectionTemplate,
    ...Object.values(clsConfig?.filePathTemplates ?? {}),
  ];
  const names = templates.flatMap((template) => namesOf(template ?? ''));
  return [...new Set(names)]
    .filter((name) => !isBuiltInName(name))
    .map((name) => ({ name, isList: lists.has(name), hasDefault: defaults.has(name) }));
}

/** The types of a value. */
export const VALUE_TYPES = {
  text: 'Text',
  number: 'Number',
  boolean: 'Yes or no',
  texts: 'List of texts',
  numbers: 'List of numbers',
} as const;
export type ValueType = keyof typeof VALUE_TYPES;

/** A value as it is typed: one text, or several of a list. */
export interface TypedValue {
  type: ValueType;
  items: readonly string[];
}

type Value = Params[string];

function typeOf(value: Value): ValueType {
  if (Array.isArray(value)) return typeof value[0] === 'number' ? 'numbers' : 'texts';
  return typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'text';
}

/** The form of a value in which it is typed; an absent one has the type that the definition suggests. */
export function toTyped(value: Value | undefined, { isList }: Placeholder): TypedValue {
  if (value === undefined) return { type: isList ? 'texts' : 'text', items: [] };
  return { type: typeOf(value), items: [value].flat().map(String) };
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

function faultOfNumber(text: string): string | null {
  if (!NUMBER.test(text.trim())) return `${text} must be a number such as 15 or -2.5`;
  const number = Number(text);
  const isExact = !Number.isInteger(number) || Number.isSafeInteger(number) || String(number) === text.trim();
  return Number.isFinite(number) && isExact ? null : `${text} is too large for a number: choose Text`;
}

/** The value that was typed, undefined if none was; or what is wrong with it. */
export function parseTyped({ type, items }: TypedValue): { value?: Value; fault?: string } {
  const given = items.filter((item) => item !== '');
  const [first] = given;
  if (first === undefined) return {};
  if (type === 'texts') return { value: given };
  if (type === 'text') return { value: first };
  if (type === 'boolean') return { value: first === 'true' };
  const fault = (type === 'number' ? [first] : given).map(faultOfNumber).find((each) => each !== null);
  if (fault !== undefined && fault !== null) return { fault };
  return { value: type === 'number' ? Number(first) : given.map(Number) };
}

/** Whether the fields can show all values: each is of a placeholder, and none is empty. */
export function areTypeable(params: unknown, placeholders: readonly Placeholder[]): boolean {
  if (params === null || params === undefined) return true;
  if (typeof params !== 'object' || Array.isArray(params)) return false;
  const names = new Set(placeholders.map(({ name }) => name));
  return Object.entries(params).every(([name, value]) => names.has(name) && isTypeable(value));
}

/** Whether a field can show a value: it is not empty. */
export function isTypeable(value: unknown): boolean {
  const items: unknown[] = [value].flat();
  const types = new Set(items.map((item) => typeof item));
  if (items.length === 0 || types.size > 1 || items.includes('')) return false;
  return Array.isArray(value)
    ? types.has('string') || types.has('number')
    : types.has('string') || types.has('number') || types.has('boolean');
}
