import { canonicalTokens, isSameText } from './canonical.js';
import { encloseNegations } from './encloseNegations.js';
import type { PolyglotDialect } from './lexicon.js';
import { maskTokens, type Masked } from './mask.js';
import { printExpression, printQuery } from './print.js';
import { readExpressionTree, readQueryTree } from './readQuery.js';
import { refuse } from './refuse.js';
import { rewriteCalls, rewriteIndexes } from './rewriteCalls.js';
import { scanExpression, scanStatement, type Token } from './scan.js';
import type { Expression, Query } from './tree.js';

/** A text that is being parsed. */
export interface Reading {
  dialect: PolyglotDialect;
  tokens: readonly Token[];
  masked: Masked;
  /** The text for the parser. */
  text: string;
}

/** The result of the parser: the trees of the statements, or the fault. */
export type Parsed = readonly unknown[] | 'invalid' | 'tooDeep';

/** The maximum length of a text, in UTF-16 units. */
export const LENGTH_MAX = 262_144;

/** @throws Refusal for a text that is not one statement of known words and signs */
export function beginStatement(sql: string, dialect: PolyglotDialect): Reading {
  checkLength(sql);
  const written = canonicalTokens(scanStatement(sql, dialect), dialect);
  // Rules are not rewritten: they must be read as the server reads them.
  const tokens = encloseNegations(rewrite(written, dialect), dialect);
  const masked = maskTokens(tokens, dialect);
  return { dialect, tokens, masked, text: masked.text };
}

function rewrite(tokens: readonly Token[], dialect: PolyglotDialect): readonly Token[] {
  if (dialect === 'mysql') return rewriteCalls(tokens);
  return dialect === 'sqlite' ? rewriteIndexes(tokens) : tokens;
}

/** @throws Refusal as `beginStatement` */
export function beginExpression(expression: string, dialect: PolyglotDialect): Reading {
  checkLength(expression);
  const tokens = canonicalTokens(scanExpression(expression, dialect), dialect);
  const masked = maskTokens(tokens, dialect);
  return { dialect, tokens, masked, text: `SELECT ${masked.text}` };
}

function checkLength(text: string): void {
  if (text.length > LENGTH_MAX) refuse('TOO_LARGE', `more than ${LENGTH_MAX} characters are not allowed`);
  if (/\p{Surrogate}/u.test(text)) refuse('SYNTAX_ERROR', 'half a character is not allowed');
}

/**
 * The tree of a statement. Its printed form must equal the original word for word, which detects a parser
 * that omits or moves something.
 * @throws Refusal for anything that is not understood
 */
export function finishStatement(reading: Reading, parsed: Parsed): Query {
  const query = readQueryTree(onlyTree(parsed), reading.masked);
  const { sql } = printQuery(query, reading.dialect, 'literals');
  compareWords(reading, scanStatement(sql, reading.dialect));
  return query;
}

/** The tree of an expression, like `finishStatement`. */
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
