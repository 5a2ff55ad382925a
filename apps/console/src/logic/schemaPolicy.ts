import type { SlsConfig } from '@gatehouse/contract';
import { isSameConfig } from './configForm.js';

/** The schema policy of a definition, as its form shows it. */
export interface SchemaForm {
  /** Where tables without a schema are, perhaps with placeholders; empty for no rule. */
  schema: string;
  /** The schemas that may be read; null for all. */
  allowed: readonly string[] | null;
  /** Where tables without a schema are if `schema` is empty. */
  fallback: string;
}

const NO_SCHEMAS: SchemaForm = { schema: '', allowed: null, fallback: '' };

const isText = (value: unknown) => value === undefined || value === null || typeof value === 'string';

/** The form of a stored schema policy; null if it has something that the form does not show. */
export function readSchemas(value: unknown): SchemaForm | null {
  if (value === null || value === undefined) return NO_SCHEMAS;
  const { schema, schemaTemplate, allowedSchemas, defaultSchema } = value as SlsConfig;
  if (![schema, schemaTemplate, defaultSchema].every(isText)) return null;
  const form = {
    schema: schemaTemplate ?? schema ?? '',
    allowed: allowedSchemas ?? null,
    fallback: defaultSchema ?? '',
  };
  return isSameConfig(writeSchemas(form), value) ? form : null;
}

/** The schema policy of a form; null if it restricts nothing. */
export function writeSchemas({ schema, allowed, fallback }: SchemaForm): SlsConfig | null {
  const field = schema.includes('{{') ? 'schemaTemplate' : 'schema';
  const config = {
    ...(schema === '' ? {} : { [field]: schema }),
    ...(allowed === null ? {} : { allowedSchemas: [...allowed] }),
    ...(fallback === '' ? {} : { defaultSchema: fallback }),
  };
  return Object.keys(config).length === 0 ? null : config;
}
