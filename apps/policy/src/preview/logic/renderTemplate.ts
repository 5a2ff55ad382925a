import { isStorableText, type CompiledReason, type ParamValue } from '@gatehouse/contract';
import type { ByteBudget } from '../../limits/logic/byteBudget.js';
import { isSecretName, parseTemplate } from '@gatehouse/contract/placeholders';
import { type FilledValues, type ValueContext } from '../../templates/logic/placeholders.js';
import { refusalOf, type RefusalCode } from './facts.js';
import { HIDDEN } from '../../secrets/logic/secretParams.js';

/** The values of a resolution, and the budget of what they fill. */
export interface BudgetedValues extends ValueContext {
  budget: ByteBudget;
}

/** The kind of text that a template produces. Each kind has its own rules for values. */
export type TemplateKind = 'connection' | 'filePath' | 'schema';

/** A template and its name in a reason, such as `schemaTemplate of "EU"`. */
export interface NamedTemplate {
  template: string;
  kind: TemplateKind;
  owner: string;
}

/** A template with its placeholders filled. */
export interface RenderedTemplate {
  actual: string;
  /** The text for responses, with `***` for secrets. */
  shown: string;
  /**
   * The text for comparisons, with a placeholder for each secret. No value may contain `{{` here, so no value
   * can look like a placeholder.
   */
  comparable: string;
}

/**
 * The longest text that a template makes. A template of 10,000 characters may have thousands of placeholders,
 * and each value 10,000 characters.
 */
const RENDERED_MAX = 65_536;

export type RenderOutcome =
  | { rendered: RenderedTemplate; reason?: undefined }
  | { rendered?: undefined; reason: CompiledReason };

/**
 * Fills a template. Every value is checked for its place. A missing or unfit value refuses the whole
 * template. A reason names the placeholder but never the value.
 */
export function renderTemplate(
  { template, kind, owner }: NamedTemplate,
  { values }: FilledValues,
): RenderOutcome {
  const { parts, fault } = parseTemplate(template);
  if (fault !== undefined) return refuse('INVALID_TEMPLATE', `The ${owner} ${fault.message}.`);
  const rendered: RenderedTemplate = { actual: '', shown: '', comparable: '' };
  for (const part of parts) {
    if (part.kind === 'text') {
      append(rendered, { actual: part.text });
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
    const hidden = isSecret ? { shown: HIDDEN, comparable: `{{ ${name} }}` } : {};
    append(rendered, { actual: placed.text, ...hidden });
    if (rendered.actual.length > RENDERED_MAX)
      return refuse('UNFIT_VALUE', `The ${owner} makes a text of more than ${RENDERED_MAX} characters.`);
  }
  if (kind === 'schema' && !IDENTIFIER.test(rendered.actual))
    return refuse('UNFIT_VALUE', `The ${owner} does not make an identifier of at most 63 characters.`);
  return { rendered };
}

/** The places where secrets are allowed, as the end of a sentence. */
export const SECRETS_ARE_FOR_CONNECTIONS = 'a secret may stand in connection and file path templates only.';

function refuse(code: RefusalCode, message: string): { reason: CompiledReason } {
  return { reason: refusalOf(code, message) };
}

function append(
  rendered: RenderedTemplate,
  { actual, shown = actual, comparable = actual }: Partial<RenderedTemplate> & { actual: string },
): void {
  rendered.actual += actual;
  rendered.shown += shown;
  rendered.comparable += comparable;
}

interface Place {
  template: string;
  /** The rendered text before the placeholder. */
  before: string;
}
/** The text of a value, or the reason why the value does not fit: the end of a sentence about it. */
type Placed = { text: string } | { unfit: string };
type PlacementRule = (value: ParamValue, place: Place) => Placed;

const RULES: Record<TemplateKind, PlacementRule> = {
  connection: placeInConnection,
  filePath: placeInFilePath,
  schema: placeInSchema,
};

// PostgreSQL truncates longer names, so that two of them could become the same schema.
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_$-]{0,62}$/;
const IDENTIFIER_PART = /^[A-Za-z0-9_$-]+$/;

/** Whether the text may be part of a schema name next to placeholders. */
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
/** Text up to the end of a URL's host, before any path. */
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

// Some engines read several files by a pattern of these characters, including files of other tenants.
const NOT_IN_PATH = /\.\.|[/\\*?[\]{}]|^\.$|^~/;
/**
 * In an address such as `file:data/x.db`, SQLite decodes `%2e%2e%2f` to `../`. The path ends at `#`, and an
 * option at `&`. JDBC drivers read options after a `;`.
 */
const NOT_IN_FILE_URL = /[%#&=;:]/;
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*$/;

function placeInFilePath(value: ParamValue, { template, before }: Place): Placed {
  const unfit = findUnfitText(value);
  if (unfit !== null) return { unfit };
  const text = String(value);
  if (NOT_IN_PATH.test(text))
    return {
      unfit: 'may not hold "..", a slash, a backslash or a wildcard, nor begin with "~", in a file path',
    };
  if (URL_START.test(template)) return { text: encodeUrlPart(text) };
  if (FILE_URL_START.test(template) && NOT_IN_FILE_URL.test(text))
    return { unfit: 'may not hold "%", "#", "&", "=", ";" or ":" in the address of a file' };
  const colon = text.indexOf(':');
  if (colon >= 0 && SCHEME.test(before + text.slice(0, colon)))
    return { unfit: 'may not make an address of a file path, as "file:" at its start does' };
  return { text };
}

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

function findUnfitText(value: ParamValue): string | null {
  if (Array.isArray(value)) return 'is a list, where a single value belongs';
  const text = String(value);
  if (text === '') return 'is empty';
  if (CONTROL.test(text) || !isStorableText(text)) return 'holds a control character';
  return null;
}

/** Percent-encodes all characters except the unreserved ones of RFC 3986. */
function encodeUrlPart(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
