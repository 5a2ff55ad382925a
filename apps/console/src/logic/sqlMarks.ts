import type { CompiledCondition } from '@gatehouse/contract';

/** A part of a statement; `condition` is the index of the injected condition in the list of conditions. */
export interface SqlPart {
  text: string;
  condition: number | null;
}

interface Token {
  /** The form for comparison: names without quotes, and lower case except in strings. */
  value: string;
  start: number;
  end: number;
}

const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|[\p{L}_$][\p{L}\p{N}_$]*|\d+(?:\.\d+)?|\S/gu;

/**
 * Splits a restricted statement at the injected conditions. A part is marked only if it equals, token by
 * token, the condition of its table and is where restrictions are: after `FROM`, the table, its name if it
 * has one, and `WHERE`, and before `)`. Qualifiers are not compared, because a table has its own name inside
 * the restriction and its alias outside of it.
 */
export function markConditions(sql: string, conditions: readonly CompiledCondition[]): SqlPart[] {
  const tokens = tokenize(sql);
  const parts: SqlPart[] = [];
  let position = 0;
  for (let index = 0; index < tokens.length; index += 1) {
    const found = findConditionAt(tokens, index, conditions);
    if (found === null) continue;
    const [first, last] = [tokens[index], tokens[found.end - 1]];
    if (first === undefined || last === undefined) continue;
    parts.push({ text: sql.slice(position, first.start), condition: null });
    parts.push({ text: sql.slice(first.start, last.end), condition: found.condition });
    position = last.end;
    index = found.end - 1;
  }
  parts.push({ text: sql.slice(position), condition: null });
  return parts.filter(({ text }) => text !== '');
}

function findConditionAt(
  tokens: readonly Token[],
  index: number,
  conditions: readonly CompiledCondition[],
): { condition: number; end: number } | null {
  if (tokens[index - 1]?.value !== 'where') return null;
  // The restriction of some dialects gives the table its own alias.
  const named = tokens[index - 3]?.value === 'as' ? index - 2 : index;
  const [from, table] = tokens.slice(Math.max(named - 3, 0), named - 1);
  if (from?.value !== 'from' || table === undefined) return null;
  const condition = conditions.findIndex(
    (candidate) =>
      candidate.table.toLowerCase() === table.value &&
      startsWith(tokens, index, tokenize(candidate.expression)),
  );
  const expression = conditions[condition]?.expression;
  return expression === undefined ? null : { condition, end: index + tokenize(expression).length };
}

function startsWith(tokens: readonly Token[], index: number, wanted: readonly Token[]): boolean {
  const end = index + wanted.length;
  return (
    tokens[end]?.value === ')' && wanted.every(({ value }, offset) => tokens[index + offset]?.value === value)
  );
}

/**
 * The tokens of a statement, without the qualifiers of names: of `o.id` only `id`, which then starts where
 * `o` did.
 */
function tokenize(sql: string): Token[] {
  const found = [...sql.matchAll(TOKEN)].map(({ 0: text, index }) => ({
    value: normalize(text),
    start: index,
    end: index + text.length,
  }));
  const kept: Token[] = [];
  for (const token of found) {
    const [name, dot] = kept.slice(-2);
    const isQualified = dot?.value === '.' && name?.end === dot.start && dot.end === token.start;
    if (isQualified) kept.splice(-2, 2, { ...token, start: name.start });
    else kept.push(token);
  }
  return kept;
}

function normalize(text: string): string {
  if (text.startsWith("'")) return text;
  return /^["`]/.test(text) ? text.slice(1, -1).toLowerCase() : text.toLowerCase();
}
