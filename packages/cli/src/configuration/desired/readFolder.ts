import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../../privateFiles.js';
import { usageError } from '../../failures.js';
import { KIND_NAMES, KINDS, type KindName } from '../model/kinds.js';
import type { DesiredRecord } from '../model/records.js';
import { checkReferences } from './checkReferences.js';
import { requireNoLink } from './links.js';
import { parseFile, type FileFault, type ParsedFile } from './parseFile.js';

const EXTENSION = /\.ya?ml$/;
/** More faults than this are counted, not shown. */
const SHOWN_FAULTS = 20;

async function namesIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && EXTENSION.test(entry.name));
    return files.map(({ name }) => name).toSorted();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function readKind(folder: string, kind: KindName): Promise<ParsedFile[]> {
  const { folder: subfolder } = KINDS[kind];
  await requireNoLink(folder, subfolder);
  const names = await namesIn(join(folder, subfolder));
  return Promise.all(
    names.map(async (name) =>
      parseFile(kind, `${subfolder}/${name}`, await readFile(join(folder, subfolder, name), 'utf8')),
    ),
  );
}

/**
 * Parses the files of a folder, without looking at their references. Files that are links are left out.
 *
 * @throws CommandError for a link in place of a folder
 */
export async function parseFolder(folder: string): Promise<ParsedFile[]> {
  const lists = await Promise.all(KIND_NAMES.map(async (kind) => readKind(folder, kind)));
  return lists.flat();
}

function describe(faults: readonly FileFault[]): string {
  const shown = faults.slice(0, SHOWN_FAULTS).map(({ file, line, message }) => `${file}:${line}: ${message}`);
  const hidden = faults.length - shown.length;
  return [...shown, ...(hidden > 0 ? [`and ${hidden} more`] : [])].join('; ');
}

/**
 * The records that a folder describes.
 *
 * @throws CommandError with the file and the line of each fault
 */
export async function readFolder(folder: string): Promise<DesiredRecord[]> {
  const files = await parseFolder(folder);
  if (files.length === 0) throw usageError(`${folder} holds no configuration: see gatehouse pull --help`);
  const faults = files.flatMap((file) => file.faults);
  const all = faults.length > 0 ? faults : checkReferences(files);
  if (all.length > 0) throw usageError(describe(all));
  return files.flatMap(({ record }) => record ?? []);
}
