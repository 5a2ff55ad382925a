import { KINDS, type Target } from '../model/kinds.js';
import { isMarkedKind } from '../model/markers.js';
import { addressOf, nameOf, type DesiredRecord } from '../model/records.js';
import { contentReferences, fieldReferences, kindsOf, type Reference } from '../model/references.js';
import type { FileFault, ParsedFile } from './parseFile.js';

type IsKnown = (address: string) => boolean;

const nounOf = (target: Target) => (target === 'person' ? 'user' : KINDS[target].noun);

function unknownRecord({ target, key }: Reference, isKnown: IsKnown): string | null {
  const isFound = kindsOf(target).some((kind) => isKnown(addressOf({ kind, key })));
  return isFound ? null : `there is no ${nounOf(target)} ${JSON.stringify(key)} in this folder`;
}

function faultsOf(
  record: DesiredRecord,
  isKnown: IsKnown,
): (Pick<Reference, 'path'> & { message: string })[] {
  const inFields = fieldReferences(record).map((reference) => ({
    ...reference,
    message: unknownRecord(reference, isKnown),
  }));
  const inContents = contentReferences(record).map((reference) => ({
    ...reference,
    message: isMarkedKind(reference.target)
      ? unknownRecord(reference, isKnown)
      : `\${${reference.target}:${reference.key}} is no reference: write $\${ for the text \${`,
  }));
  return [...inFields, ...inContents].flatMap(({ path, message }) =>
    message === null ? [] : [{ path, message }],
  );
}

/** The references that name no record of the folder, and the keys that two records share. */
export function checkReferences(files: readonly ParsedFile[]): FileFault[] {
  const first = new Map<string, DesiredRecord>();
  const faults: FileFault[] = [];
  for (const { record, lineOf } of files) {
    if (!record) continue;
    const other = first.get(addressOf(record));
    if (!other) {
      first.set(addressOf(record), record);
      continue;
    }
    const message = `${nameOf(record)} is in ${other.file} too: give one of them a key of its own`;
    faults.push({ file: record.file, line: lineOf(['key']), message });
  }
  for (const { record, lineOf } of files) {
    if (!record) continue;
    for (const { path, message } of faultsOf(record, (address) => first.has(address)))
      faults.push({ file: record.file, line: lineOf(path), message: `${String(path[0])}: ${message}` });
  }
  return faults;
}
