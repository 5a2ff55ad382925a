/**
 * The SQL parser, in a thread of its own: it is a WebAssembly module that overflows the ordinary stack of a thread, and does not
 * recover from that. Asked `{id, text, dialect}`, it answers `{id, trees}`: the trees of the statements in the text as JSON,
 * or `{id, failure}`: `invalid` for a text that does not parse, `tooDeep` for one that nests too deeply.
 */
import { parentPort } from 'node:worker_threads';
import { parse } from '@polyglot-sql/sdk';

/** Leaves out what says nothing. `nulls_first: false` does: it is NULLS LAST. */
function saysSomething(key, value) {
  if (key === 'span') return false;
  if (value === null) return key === 'null';
  if (value === false) return key === 'nulls_first';
  return !(Array.isArray(value) && value.length === 0);
}

function prune(value) {
  if (value === null) return {};
  if (Array.isArray(value)) return value.map(prune);
  if (typeof value !== 'object') return value;
  const pruned = {};
  for (const key of Object.keys(value)) {
    if (saysSomething(key, value[key])) pruned[key] = prune(value[key]);
  }
  return pruned;
}

/** What a text does wrong. All else is the parser's own doing, and the thread is of no use after it. */
function failureOf(error) {
  if (/E_GUARD_/.test(error)) return 'tooDeep';
  if (/^(?:Parse|Tokenization|Syntax) error/.test(error)) return 'invalid';
  throw new Error(`The parser failed: ${error}`);
}

parentPort.on('message', ({ id, text, dialect }) => {
  const { success, ast, error } = parse(text, dialect);
  const answer = success ? { id, trees: JSON.stringify(prune(ast)) } : { id, failure: failureOf(error) };
  parentPort.postMessage(answer, []);
});
