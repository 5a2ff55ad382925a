import { parse } from '@polyglot-sql/sdk';
import type { Parsed } from '../polyglot/logic/readText.js';

/** Whether a field carries information. `nulls_first: false` does: it means NULLS LAST. */
function isMeaningful(key: string, value: unknown): boolean {
  if (key === 'span') return false;
  if (value === null) return key === 'null';
  if (value === false) return key === 'nulls_first';
  return !(Array.isArray(value) && value.length === 0);
}

function prune(value: unknown): unknown {
  if (value === null) return {};
  if (Array.isArray(value)) return value.map(prune);
  if (typeof value !== 'object') return value;
  const entries = Object.entries(value as Record<string, unknown>);
  return Object.fromEntries(
    entries.filter(([key, child]) => isMeaningful(key, child)).map(([key, child]) => [key, prune(child)]),
  );
}

/** The fault of a text. Any other error is a failure of the parser, after which the thread is unusable. */
function faultOf(error: string | undefined): 'invalid' | 'tooDeep' {
  if (error !== undefined && error.includes('E_GUARD_')) return 'tooDeep';
  if (error !== undefined && /^(?:Parse|Tokenization|Syntax) error/.test(error)) return 'invalid';
  throw new Error(`The parser failed: ${error}`);
}

/**
 * Parses a text into the trees of its statements. The parser is a WebAssembly module that overflows the
 * default stack of a thread and does not recover, so it runs in a thread with a larger stack.
 * @param dialect the parser's name of the dialect
 */
export function parsePolyglot(text: string, dialect: string): Parsed {
  const { success, ast, error } = parse(text, dialect as Parameters<typeof parse>[1]);
  return success ? (prune(ast) as unknown[]) : faultOf(error);
}
