import { createHash } from 'node:crypto';

const MAX_LENGTH = 60;
/** Names of devices, which Windows does not allow for files, whatever their extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/;

const checksum = (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 8);

/**
 * A file name for a record that is safe on every system: lower-case letters, digits and hyphens. The key in
 * the file identifies the record, and the name is for people.
 *
 * @param isTaken whether another record has this name
 */
export function fileNameOf(key: string, isTaken: (name: string) => boolean): string {
  const text = key
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  const slug = text.slice(0, MAX_LENGTH).replaceAll(/^-+|-+$/g, '');
  const isFit = slug !== '' && !DEVICE.test(slug) && !isTaken(`${slug}.yaml`);
  return isFit ? `${slug}.yaml` : `${slug === '' ? 'record' : slug}-${checksum(key)}.yaml`;
}
