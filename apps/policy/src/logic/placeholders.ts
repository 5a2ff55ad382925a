import type { ParamValue } from '@gatehouse/contract';
import type { ActorFacts } from './model.js';

/** A piece of a template: text as it stands, or a placeholder by its name. */
export type TemplatePart =
  | { kind: 'text'; text: string }
  | { kind: 'placeholder'; name: string; position: number };

/** Why a template does not parse, and where: UTF-16 units from its start. */
export interface TemplateFault {
  message: string;
  position: number;
}

export type ParsedTemplate =
  | { parts: TemplatePart[]; fault?: undefined }
  | { parts?: undefined; fault: TemplateFault };

const OPENING = '{{';
const NAME_MAX = 200;
const PLACEHOLDER = /\{\{[ \t]*([A-Za-z0-9_.-]+(?:@secret)?)[ \t]*\}\}/y;
const SECRET_SUFFIX = '@secret';

/**
 * Reads a template such as `tenant_{{ id }}`. A name is made of letters, digits, `_`, `.` and `-`, up to 200 characters,
 * with `@secret` at its end where its value is one. Every `{{` opens a placeholder; braces that do not come in such a pair
 * are text, `}}` alone included.
 */
export function parseTemplate(template: string): ParsedTemplate {
  const parts: TemplatePart[] = [];
  let read = 0;
  for (;;) {
    const position = template.indexOf(OPENING, read);
    const text = template.slice(read, position === -1 ? undefined : position);
    if (text !== '') parts.push({ kind: 'text', text });
    if (position === -1) return { parts };
    PLACEHOLDER.lastIndex = position;
    const name = PLACEHOLDER.exec(template)?.[1];
    if (name === undefined) return { fault: { message: MALFORMED, position } };
    if (name.length > NAME_MAX) return { fault: { message: TOO_LONG, position } };
    parts.push({ kind: 'placeholder', name, position });
    read = PLACEHOLDER.lastIndex;
  }
}

const MALFORMED = 'is not a placeholder: write {{ name }} with letters, digits, "_", "." and "-" in the name';
const TOO_LONG = `has a placeholder of more than ${NAME_MAX} characters`;

/** The names of the placeholders in a template, each once, in the order of their first use; none where it does not parse. */
export function placeholdersOf(template: string): string[] {
  const names = new Set<string>();
  for (const part of parseTemplate(template).parts ?? []) {
    if (part.kind === 'placeholder') names.add(part.name);
  }
  return [...names];
}

/** True of the names whose values are sealed, and shown as `***`. */
export function isSecretName(name: string): boolean {
  return name.endsWith(SECRET_SUFFIX);
}

/** What the placeholders that nothing can override stand for. */
const BUILT_INS: Record<string, (actor: ActorFacts) => string | null> = {
  'actor.kind': (actor) => actor.kind,
  'actor.id': (actor) => actor.id,
  // A tenant is of itself, whether or not its facts repeat that.
  'actor.tenantId': (actor) => actor.tenantId ?? (actor.kind === 'TENANT' ? actor.id : null),
  'actor.email': (actor) => actor.email,
  'actor.role': (actor) => actor.role,
};

export function isBuiltInName(name: string): boolean {
  return Object.hasOwn(BUILT_INS, name);
}

/** The built-in values of an actor. One that it does not have, such as an org user's tenant, is left out. */
export function builtInValues(actor: ActorFacts): Record<string, ParamValue> {
  const values: Record<string, ParamValue> = {};
  for (const [name, valueOf] of Object.entries(BUILT_INS)) {
    const value = valueOf(actor);
    if (value !== null) values[name] = value;
  }
  return values;
}
