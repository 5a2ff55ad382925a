import { isNode, isScalar, LineCounter, parseDocument, visit, type Document } from 'yaml';
import type { z } from 'zod';
import type { KindName } from '../model/kinds.js';
import { naturalKey } from '../model/keys.js';
import type { DesiredRecord } from '../model/records.js';
import { SCHEMAS } from '../model/schemas.js';
import { mapSecrets, variableOf } from '../model/secrets.js';

/** A fault in a file, such as `dashboards/sales.yaml:3: title must not be blank`. */
export interface FileFault {
  file: string;
  /** From 1. */
  line: number;
  message: string;
}

/** The content of a file: its record, or what is wrong with it; and the lines of its fields. */
export interface ParsedFile {
  record: DesiredRecord | null;
  faults: FileFault[];
  /** The line of a place in the record, or of the nearest place above it. */
  lineOf(path: readonly PropertyKey[]): number;
}

function findLine(document: Document, lines: LineCounter, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

const placeOf = (path: readonly PropertyKey[]) =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');

/** The faults of an issue; each unknown field has one of its own. */
function faultsOf(issue: z.core.$ZodIssue, lineOf: ParsedFile['lineOf']): Omit<FileFault, 'file'>[] {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => {
      return { line: lineOf([...path, key]), message: `${placeOf([...path, key])} is no field` };
    });
  return [{ line: lineOf(path), message: `${placeOf(path)} ${message}`.trim() }];
}

/** The lines of keys that the API rejects, and that objects of JavaScript would lose without a fault. */
function findForbiddenKeys(document: Document, lines: LineCounter): number[] {
  const found: number[] = [];
  visit(document, {
    Pair(_, { key }) {
      if (isScalar(key) && key.value === '__proto__') found.push(lines.linePos(key.range?.[0] ?? 0).line);
    },
  });
  return found;
}

/** Secrets in files would be in the history of the repository for ever. */
function findSecrets({ kind, fields }: DesiredRecord): readonly string[][] {
  const found: string[][] = [];
  mapSecrets(kind, fields, (value, place) => {
    if (variableOf(value) === undefined) found.push([...place]);
    return value;
  });
  return found;
}

/** Parses the file of one record. */
export function parseFile(kind: KindName, file: string, text: string): ParsedFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, intAsBigInt: false });
  const lineOf = (path: readonly PropertyKey[]) => findLine(document, lines, path);
  const fail = (faults: Omit<FileFault, 'file'>[]): ParsedFile => ({
    record: null,
    faults: faults.map((fault) => ({ file, ...fault })),
    lineOf,
  });
  if (document.errors.length > 0)
    return fail(document.errors.map(({ message, pos }) => ({ line: lines.linePos(pos[0]).line, message })));
  const forbidden = findForbiddenKeys(document, lines);
  if (forbidden.length > 0)
    return fail(forbidden.map((line) => ({ line, message: '__proto__ is not allowed as a key' })));
  const content: unknown = document.toJS({ maxAliasCount: 100 });
  const checked = SCHEMAS[kind].safeParse(content, { reportInput: true });
  if (!checked.success) return fail(checked.error.issues.flatMap((issue) => faultsOf(issue, lineOf)));
  const { key, ...fields } = checked.data;
  const record = { kind, file, fields, key: typeof key === 'string' ? key : naturalKey(kind, fields) };
  const secrets = findSecrets(record);
  if (secrets.length === 0) return { record, faults: [], lineOf };
  return fail(
    secrets.map((path) => ({
      line: lineOf(path),
      message: `${placeOf(path)} must refer to an environment variable, as \${env:NAME}`,
    })),
  );
}
