import { z } from 'zod';
import { findInexactNumber } from '@gatehouse/contract';
import { fieldTextOf } from '@gatehouse/contract/field-texts';
import type { Arguments, Context, OptionSpec } from '../command.js';
import { usageError } from '../failures.js';
import { inexactNumber, readText } from '../files.js';
import { nameKindOf, type NameKind } from '../names/nameKinds.js';
import { optionOf } from './naming.js';

/** The schema of a field without what makes it optional. */
function unwrap(schema: z.ZodType): z.ZodType {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  )
    return unwrap(schema.unwrap() as z.ZodType);
  return schema;
}

const isText = (schema: z.ZodType) => schema instanceof z.ZodString || schema instanceof z.ZodStringFormat;

/** A field of the input of an operation, as an option. */
export interface FieldOption {
  field: string;
  option: string;
  spec: OptionSpec;
  /** Reads the value from the arguments; undefined if the option is absent. */
  read(given: Arguments, context: Context): Promise<unknown>;
}

type Reader = FieldOption['read'];

/** JSON, or the content of a file after `@`. */
async function readJson(text: string, option: string, context: Context): Promise<unknown> {
  const content = text.startsWith('@') ? await readText(text.slice(1), context) : text;
  try {
    const value: unknown = JSON.parse(content);
    const inexact = findInexactNumber(content);
    if (inexact !== null) throw inexactNumber(`--${option}`, inexact);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) throw usageError(`--${option} must be JSON, or @ and a file with JSON`);
    throw error;
  }
}

function readNumber(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^-?\d+(\.\d+)?$/.test(text)) throw usageError(`--${option} must be a number, not ${text}`);
  return Number(text);
}

/** A switch is off unless it is given; other booleans have three states. */
function isSwitch(field: string, schema: z.ZodType): boolean {
  const isOff = schema instanceof z.ZodDefault && schema.def.defaultValue === false;
  return unwrap(schema) instanceof z.ZodBoolean && (isOff || field === 'validateOnly');
}

function formOf(schema: z.ZodType, option: string): { spec: OptionSpec; read: Reader } {
  if (schema instanceof z.ZodBoolean)
    return {
      spec: { summary: '', value: 'boolean', choices: ['true', 'false'] },
      read: async (given) => {
        const text = given.text(option);
        return text === undefined ? undefined : text === 'true';
      },
    };
  if (schema instanceof z.ZodNumber)
    return {
      spec: { summary: '', value: 'number' },
      read: async (given) => readNumber(given.text(option), option),
    };
  if (schema instanceof z.ZodEnum)
    return {
      spec: { summary: '', value: 'choice', choices: schema.options.map(String) },
      read: async (given) => given.text(option),
    };
  if (schema instanceof z.ZodArray && isText(schema.element as z.ZodType))
    return {
      spec: { summary: '', value: 'text', isMultiple: true },
      read: async (given) => (given.texts(option).length > 0 ? given.texts(option) : undefined),
    };
  if (isText(schema))
    return { spec: { summary: '', value: 'text' }, read: async (given) => given.text(option) };
  return {
    spec: { summary: '', value: 'json' },
    read: async (given, context) => {
      const text = given.text(option);
      return text === undefined ? undefined : readJson(text, option, context);
    },
  };
}

/** Arguments are visible to all users of a machine, so that secrets come from files only. */
export function isSecretField(field: string): boolean {
  return /secret$|password$/i.test(field);
}

/** The text of the OpenAPI document, which each field of a request has. */
function summaryOf(
  { field, operationId }: { field: string; operationId: string },
  schema: z.ZodType,
  names: NameKind | undefined,
): string {
  const component = `${operationId.slice(0, 1).toUpperCase()}${operationId.slice(1)}Request`;
  const text = fieldTextOf(component, field, schema.safeParse(null).success) ?? field;
  const byName = names === undefined ? text : `${text}, by id or name`;
  return schema.safeParse(undefined).success ? byName : `${byName}; required`;
}

/** The option of a field. */
export function fieldOption(
  field: string,
  schema: z.ZodType,
  { isInQuery, noun, operationId }: { isInQuery: boolean; noun: string; operationId: string },
): FieldOption {
  // The id of a new record refers to no other one.
  const names = field === 'id' ? undefined : nameKindOf(field, noun);
  const option = optionOf(field, names !== undefined);
  const summary = summaryOf({ field, operationId }, schema, names);
  if (isInQuery && isSwitch(field, schema))
    return { field, option, spec: { summary }, read: async (given) => given.flag(option) || undefined };
  const { spec, read } = formOf(unwrap(schema), option);
  const named = names === undefined ? {} : { names, value: 'id' };
  return { field, option, spec: { ...spec, summary, ...named }, read };
}
