import type { Node } from '@pgsql/types';
import { BUILT_IN_SCHEMA } from './builtins.js';
import { openNode, stringNode, textsOf } from './nodes.js';
import { isFields } from './trees.js';

/**
 * Gives every function and type of a checked tree the schema of PostgreSQL's own ones, so that it cannot mean another of the
 * same name, and writes the functions with a syntax of their own as plain calls.
 */
export function qualifyBuiltIns(value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) qualifyBuiltIns(item);
    return;
  }
  if (!isFields(value)) return;
  const opened = openNode(value as unknown as Node);
  if (opened?.kind === 'FuncCall') {
    opened.fields.funcname = builtIn(opened.fields.funcname);
    opened.fields.funcformat = 'COERCE_EXPLICIT_CALL';
  }
  if (opened?.kind === 'TypeCast' && opened.fields.typeName) {
    opened.fields.typeName.names = builtIn(opened.fields.typeName.names);
  }
  // SIMILAR TO is `~` with a translated pattern, which the tree holds already.
  if (opened?.kind === 'A_Expr' && opened.fields.kind === 'AEXPR_SIMILAR') opened.fields.kind = 'AEXPR_OP';
  for (const child of Object.values(value)) qualifyBuiltIns(child);
}

function builtIn(names: readonly Node[] | undefined): Node[] {
  return [BUILT_IN_SCHEMA, textsOf(names).at(-1) ?? ''].map(stringNode);
}
