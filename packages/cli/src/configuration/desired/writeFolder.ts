import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isMissing, replaceFile } from '../../privateFiles.js';
import { KIND_NAMES, KINDS } from '../model/kinds.js';
import { addressOf, type ConfigurationRecord, type DesiredRecord } from '../model/records.js';
import { jsonSchemaOf } from '../model/schemas.js';
import { hideSecrets, mapSecrets, variableOf } from '../model/secrets.js';
import { fileNameOf } from './fileNames.js';
import { formatFile, schemaFileOf } from './formatFile.js';
import { requireNoLink } from './links.js';
import type { ParsedFile } from './parseFile.js';

/** The changes that a pull makes to a folder, by paths relative to it. */
export interface FolderChanges {
  /** Files to write, with their texts. */
  written: ReadonlyMap<string, string>;
  removed: readonly string[];
  /** Those of them that exist and would lose what is in them. */
  overwritten: readonly string[];
}

/** The value at a place in JSON. */
function valueAt(value: unknown, place: readonly string[]): unknown {
  return place.reduce<unknown>(
    (part, name) => (typeof part === 'object' && part !== null ? Reflect.get(part, name) : undefined),
    value,
  );
}

/** The record with the variables that its present file names for its secrets. */
function keepVariables(record: ConfigurationRecord, present: DesiredRecord): ConfigurationRecord {
  const fields = mapSecrets(record.kind, record.fields, (value, place) => {
    const kept = valueAt(present.fields, place);
    return variableOf(kept) === undefined ? value : kept;
  });
  return { ...record, fields };
}

function isSame(record: ConfigurationRecord, present: DesiredRecord): boolean {
  const { id: _id, ...fields } = hideSecrets(record.kind, present.fields);
  const { id: _actualId, ...actual } = hideSecrets(record.kind, record.fields);
  return isDeepStrictEqual(normal(fields), normal(actual));
}

/** Without absent fields, which compare as different from missing ones. */
const normal = (fields: object) => JSON.parse(JSON.stringify(fields)) as unknown;

/**
 * Decides which files a pull writes and removes. The file of an unchanged record stays as it is, comments
 * included.
 *
 * @param present the parsed files of the folder
 */
export function planFolder(
  records: readonly ConfigurationRecord[],
  present: readonly ParsedFile[],
): FolderChanges {
  const byAddress = new Map(
    present.flatMap(({ record }) => (record ? [[addressOf(record), record] as const] : [])),
  );
  const names = new Set(present.flatMap(({ record }) => record?.file ?? []));
  const kept = new Set<string>();
  const written = new Map<string, string>();
  for (const record of records) {
    const { folder } = KINDS[record.kind];
    const old = byAddress.get(addressOf(record));
    const file = old?.file ?? `${folder}/${fileNameOf(record.key, (name) => names.has(`${folder}/${name}`))}`;
    names.add(file);
    kept.add(file);
    if (old === undefined) written.set(file, formatFile(record));
    else if (!isSame(record, old)) written.set(file, formatFile(keepVariables(record, old)));
  }
  const files = present.flatMap(({ record, faults }) => record?.file ?? faults[0]?.file ?? []);
  const removed = files.filter((file) => !kept.has(file));
  return { written, removed, overwritten: [...removed, ...files.filter((file) => written.has(file))] };
}

/** Writes a file. An existing one keeps its mode: other users may not be allowed to read it. */
async function writeText(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const mode = await stat(file).then(
    (found) => found.mode & 0o777,
    () => undefined,
  );
  await replaceFile(file, text, mode);
}

/** Writes a file unless it already has this text. */
async function updateText(file: string, text: string): Promise<void> {
  const present = await readFile(file, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (present !== text) await writeText(file, text);
}

/**
 * Carries out the changes, and writes the JSON Schemas.
 *
 * @throws CommandError, and writes nothing, if a link is in the way of a file
 */
export async function writeFolder(folder: string, { written, removed }: FolderChanges): Promise<void> {
  const files = [...written.keys(), ...removed, ...KIND_NAMES.map(schemaFileOf)];
  for (const file of files) await requireNoLink(folder, file);
  for (const [file, text] of written) await writeText(join(folder, file), text);
  for (const file of removed) await rm(join(folder, file), { force: true });
  for (const kind of KIND_NAMES) {
    const schema = `${JSON.stringify(jsonSchemaOf(kind), null, 2)}\n`;
    await updateText(join(folder, schemaFileOf(kind)), schema);
  }
}
