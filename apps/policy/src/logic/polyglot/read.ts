import { canonicalTokens, isSameText } from './canonical.js';
import type { PolyglotDialect } from './lexicon.js';
import { maskTokens, type Masked } from './mask.js';
import { printExpression, printQuery } from './print.js';
import { readExpressionTree, readQueryTree } from './readQuery.js';
import { refuse } from './refuse.js';
import { scanExpression, scanStatement, type Token } from './scan.js';
import type { Expression, Query } from './tree.js';

/** A text on its way to the parser. */
export interface Reading {
  dialect: PolyglotDialect;
  tokens: readonly Token[];
  masked: Masked;
  /** What to give to the parser. */
  text: string;
}

/** The parser's answer: the trees of the statements in a text, or why there are none. */
export type Parsed = readonly unknown[] | 'invalid' | 'tooDeep';

/** The longest text that is looked at, in UTF-16 units. */
const LENGTH_MAX = 262_144;

/** @throws Refusal for a text that is not one statement of known words and signs */
export function beginStatement(sql: string, dialect: PolyglotDialect): Reading {
  checkLength(sql);
  const tokens = canonicalTokens(scanStatement(sql, dialect));
  const masked = maskTokens(tokens, dialect);
  return { dialect, tokens, masked, text: masked.text };
}

/** @throws Refusal as `beginStatement` */
export function beginExpression(expression: string, dialect: PolyglotDialect): Reading {
  checkLength(expression);
  const tokens = canonicalTokens(scanExpression(expression, dialect));
  const masked = maskTokens(tokens, dialect);
  return { dialect, tokens, masked, text: `SELECT ${masked.text}` };
}

function checkLength(text: string): void {
  if (text.length > LENGTH_MAX) refuse('TOO_LARGE', `more than ${LENGTH_MAX} characters are not allowed`);
  if (/\p{Surrogate}/u.test(text)) refuse('SYNTAX_ERROR', 'half a character is not allowed');
}

/**
 * The tree of a statement. What the parser made of it, printed, has to be word for word what was written: a parser that left
 * something out, or moved it, is noticed here.
 * @throws Refusal for what is not understood
 */
export function finishStatement(reading: Reading, parsed: Parsed): Query {
  const query = readQueryTree(onlyTree(parsed), reading.masked);
  const { sql } = printQuery(query, reading.dialect, 'literals');
  compareWords(reading, scanStatement(sql, reading.dialect));
  return query;
}

/** The tree of an expression, as `finishStatement`. */
export function finishExpression(reading: Reading, parsed: Parsed): Expression {
  const expression = readExpressionTree(onlyTree(parsed), reading.masked);
  const printed = printExpression(expression, reading.dialect);
  compareWords(reading, scanExpression(printed, reading.dialect));
  return expression;
}

function onlyTree(parsed: Parsed): unknown {
  if (parsed === 'invalid') refuse('SYNTAX_ERROR', 'does not parse');
  if (parsed === 'tooDeep') refuse('TOO_DEEP', 'nested too deeply');
  const [tree, ...more] = parsed;
  if (tree === undefined) refuse('SYNTAX_ERROR', 'there is nothing to read');
  if (more.length > 0) refuse('SEVERAL_STATEMENTS', 'more than one statement is not allowed');
  return tree;
}

function compareWords({ tokens }: Reading, printed: readonly Token[]): void {
  if (!isSameText(tokens, printed)) {
    refuse('FORBIDDEN_CONSTRUCT', 'the statement is written in a way that is not understood in full');
  }
}
