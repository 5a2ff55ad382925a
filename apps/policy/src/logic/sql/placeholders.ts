import type { SqlDialect } from '@gatehouse/contract';
import type { ExpressionFault } from '../model.js';
import { parseTemplate } from '../placeholders.js';
import { scanSql } from './scanSql.js';

/** An expression whose placeholders gave way to markers that the dialect's parser reads. */
export interface MarkedExpression {
  text: string;
  /** The placeholder that each marker stands for, in order; a placeholder that is used twice is here twice. */
  names: readonly string[];
  /** Where in the expression a position in `text` is. */
  positionOf(position: number): number;
}

export type MarkedOrFault = (MarkedExpression & { fault?: undefined }) | { fault: ExpressionFault };

const IN_KEYWORD = /(?:^|[^\w$."`\]])in\s*$/i;

/**
 * Replaces each `{{ name }}` of a SQL expression by a marker, such as `$1`. After `IN` the marker gets the parentheses that
 * the grammar asks for. Refused: a placeholder in quotes or next to a word, a comment, a semicolon, and a parameter that the
 * expression brings itself.
 * @param markerOf the marker of the placeholder with that index, from 0
 */
export function markPlaceholders(
  expression: string,
  dialect: SqlDialect,
  markerOf: (index: number) => string,
): MarkedOrFault {
  const template = parseTemplate(expression);
  if (template.fault) return { fault: template.fault };
  const placeholders = new Map<number, { name: string; end: number }>();
  for (const part of template.parts) {
    if (part.kind !== 'placeholder') continue;
    const end = expression.indexOf('}}', part.position) + 2;
    placeholders.set(part.position, { name: part.name, end });
  }
  const scanned = scanSql(expression, dialect, (position) => placeholders.get(position)?.end);
  if (scanned.fault) return { fault: scanned.fault };
  const names: string[] = [];
  const seams: { text: number; source: number }[] = [{ text: 0, source: 0 }];
  let text = '';
  let read = 0;
  for (const [position, { name, end }] of placeholders) {
    if (!scanned.atoms.has(position)) return faultAt('a placeholder may not stand within quotes', position);
    if (touchesWord(expression, position, end)) {
      return faultAt('a placeholder stands for a whole value and may not touch a word', position);
    }
    text += expression.slice(read, position);
    const marker = markerOf(names.length);
    text += IN_KEYWORD.test(text) ? ` (${marker}) ` : ` ${marker} `;
    names.push(name);
    read = end;
    seams.push({ text: text.length, source: end });
  }
  text += expression.slice(read);
  const positionOf = (at: number): number => {
    const seam = seams.findLast((candidate) => candidate.text <= at) ?? { text: 0, source: 0 };
    return Math.min(expression.length, seam.source + at - seam.text);
  };
  return { text, names, positionOf };
}

function faultAt(message: string, position: number): { fault: ExpressionFault } {
  return { fault: { message, position } };
}

function touchesWord(expression: string, start: number, end: number): boolean {
  const before = expression[start - 1] ?? ' ';
  const after = expression[end] ?? ' ';
  return /[\p{L}\p{N}_$@'"`.]/u.test(before) || /[\p{L}\p{N}_$@'"`.(]/u.test(after);
}
