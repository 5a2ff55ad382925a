import { isStorableText, type CompiledReason, type ParamValue } from '@gatehouse/contract';
import { isSecretName, parseTemplate } from './placeholders.js';
import { refusalOf, type RefusalCode } from './refusals.js';
import { HIDDEN } from './secretParams.js';
import type { FilledValues } from './values.js';

/** What a template makes: each kind has rules of its own for the values in it. */
export type TemplateKind = 'connection' | 'filePath' | 'schema';

/** A template and what it is called in a reason, such as `schemaTemplate of "EU"`. */
export interface NamedTemplate {
  template: string;
  kind: TemplateKind;
  owner: string;
}

/** A template with its values in it: as it is, and as it may be shown, with `***` for secrets. */
export interface RenderedTemplate {
  actual: string;
  shown: string;
}

export type RenderOutcome =
  | { rendered: RenderedTemplate; reason?: undefined }
  | { rendered?: undefined; reason: CompiledReason };

/**
 * Puts values into a template. Every value is checked for the place that it stands in, and one that is missing or unfit
 * refuses the whole; a reason names the placeholder and never the value.
 */
export function renderTemplate(
  { template, kind, owner }: NamedTemplate,
  { values }: FilledValues,
): RenderOutcome {
  const { parts, fault } = parseTemplate(template);
  if (fault !== undefined) return refuse('INVALID_TEMPLATE', `The ${owner} ${fault.message}.`);
  const rendered: RenderedTemplate = { actual: '', shown: '' };
  for (const part of parts) {
    if (part.kind === 'text') {
      append(rendered, part.text, part.text);
      continue;
    }
    const { name } = part;
    const isSecret = isSecretName(name);
    if (isSecret && kind === 'schema')
      return refuse(
        'SECRET_NOT_ALLOWED',
        `The ${owner} uses {{ ${name} }}, and ${SECRETS_ARE_FOR_CONNECTIONS}`,
      );
    const value = Object.hasOwn(values, name) ? values[name]?.value : undefined;
    if (value === undefined) return refuse('MISSING_VALUE', `The ${owner} has no value for {{ ${name} }}.`);
    const placed = RULES[kind](value, { template, before: rendered.actual });
    if ('unfit' in placed)
      return refuse('UNFIT_VALUE', `In the ${owner} the value of {{ ${name} }} ${placed.unfit}.`);
    append(rendered, placed.text, isSecret ? HIDDEN : placed.text);
  }
  if (kind === 'schema' && !IDENTIFIER.test(rendered.actual))
    return refuse('UNFIT_VALUE', `The ${owner} does not make an identifier of at most 63 characters.`);
  return { rendered };
}

/** Where secret values may stand, as the end of a sentence. */
export const SECRETS_ARE_FOR_CONNECTIONS = 'a secret may stand in connection and file path templates only.';

function refuse(code: RefusalCode, message: string): { reason: CompiledReason } {
  return { reason: refusalOf(code, message) };
}

function append(rendered: RenderedTemplate, actual: string, shown: string): void {
  rendered.actual += actual;
  rendered.shown += shown;
}

interface Place {
  template: string;
  /** What stands before it, rendered. */
  before: string;
}
/** A value as it stands in the template, or why it may not: the end of a sentence about it. */
type Placed = { text: string } | { unfit: string };
type PlacementRule = (value: ParamValue, place: Place) => Placed;

const RULES: Record<TemplateKind, PlacementRule> = {
  connection: placeInConnection,
  filePath: placeInFilePath,
  schema: placeInSchema,
};

// Longer names are cut by PostgreSQL, where two of them would become one schema.
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_$-]{0,62}$/;
const IDENTIFIER_PART = /^[A-Za-z0-9_$-]+$/;

/** True of text that may be part of a schema's name beside placeholders. */
export function isSchemaText(text: string): boolean {
  return IDENTIFIER_PART.test(text);
}

function placeInSchema(value: ParamValue): Placed {
  const text = String(value);
  if (Array.isArray(value) || !isSchemaText(text))
    return { unfit: 'must be made of letters, digits, "_", "$" and "-" to be part of a schema name' };
  return { text };
}

/** A scheme with its slashes, as in `postgresql://` and `jdbc:mysql://`. */
const URL_START = /^[A-Za-z][A-Za-z0-9+.:-]*:\/\//;
const FILE_URL_START = /^([a-z]+:)?(file|sqlite3?|duckdb):|^[^/]*:\/\/\//i;
/** Up to the end of a URL's host: no path has begun. */
const WITHIN_AUTHORITY = /^[^/]*:\/\/[^/?#]*$/;
const UNRESERVED = /^[A-Za-z0-9._~-]+$/;

function placeInConnection(value: ParamValue, { template, before }: Place): Placed {
  const unfit = findUnfitText(value);
  if (unfit !== null) return { unfit };
  const text = String(value);
  if (FILE_URL_START.test(template)) return placeInFilePath(value, { template, before });
  if (!URL_START.test(template)) {
    if (!UNRESERVED.test(text) || text.includes('..'))
      return { unfit: 'must be made of letters, digits, "-", "_", "~" and single "." outside of a URL' };
    return { text };
  }
  if (!WITHIN_AUTHORITY.test(before) && (text === '.' || text === '..'))
    return { unfit: 'may not be "." or ".." in the path of a URL' };
  return { text: encodeUrlPart(text) };
}

// The last ones are patterns to engines that read many files by one path, and would read those of others.
const NOT_IN_PATH = /\.\.|[/\\*?[\]{}]|^\.$|^~/;

function placeInFilePath(value: ParamValue, { template }: Place): Placed {
  const unfit = findUnfitText(value);
  if (unfit !== null) return { unfit };
  const text = String(value);
  if (NOT_IN_PATH.test(text))
    return {
      unfit: 'may not hold "..", a slash, a backslash or a wildcard, nor begin with "~", in a file path',
    };
  return { text: URL_START.test(template) ? encodeUrlPart(text) : text };
}

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

function findUnfitText(value: ParamValue): string | null {
  if (Array.isArray(value)) return 'is a list, where a single value belongs';
  const text = String(value);
  if (text === '') return 'is empty';
  if (CONTROL.test(text) || !isStorableText(text)) return 'holds a control character';
  return null;
}

/** Percent-encodes all but the unreserved characters of RFC 3986. */
function encodeUrlPart(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
