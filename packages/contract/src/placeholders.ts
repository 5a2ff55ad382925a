/** The grammar of placeholders: without other modules, so that a browser can use it without the schemas. */

/** A part of a template: literal text, or a placeholder by its name. */
export type TemplatePart =
  | { kind: 'text'; text: string }
  | { kind: 'placeholder'; name: string; position: number };

/** The reason why a template does not parse, and the position in UTF-16 units from its start. */
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
 * Parses a template such as `tenant_{{ id }}`. A name consists of letters, digits, `_`, `.` and `-`, up to
 * 200 characters, and ends with `@secret` if its value is a secret. Every `{{` opens a placeholder. All other
 * braces are text, including `}}` alone.
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

/**
 * The distinct placeholder names of a template, in the order of their first use; none if it does not parse.
 */
export function placeholdersOf(template: string): string[] {
  const names = new Set<string>();
  for (const part of parseTemplate(template).parts ?? []) {
    if (part.kind === 'placeholder') names.add(part.name);
  }
  return [...names];
}

/** Whether values of this name are sealed, and shown as `***`. */
export function isSecretName(name: string): boolean {
  return name.endsWith(SECRET_SUFFIX);
}

const BUILT_IN_NAMES = ['actor.kind', 'actor.id', 'actor.tenantId', 'actor.email', 'actor.role'] as const;
export type BuiltInName = (typeof BUILT_IN_NAMES)[number];

/** Whether the actor gives the value of this name, which nothing can override. */
export function isBuiltInName(name: string): boolean {
  return (BUILT_IN_NAMES as readonly string[]).includes(name);
}
