import { createHash } from 'node:crypto';
import { invalidField, type Catalog, type CatalogInput, type ConnectionType } from '@gatehouse/contract';
import { rejectFaults } from '../records/writeRecord.js';
import { canonicalText, catalogFrom, findCatalogFaults } from './logic/form.js';

/**
 * The largest catalog, in bytes of JSON: with its changes it fits into one document of the engine, which
 * takes 16 MiB.
 */
export const CATALOG_MAX_BYTES = 12 * 1024 * 1024;

/** A valid catalog, with the digest by which it is compared. */
export interface CheckedCatalog {
  catalog: Catalog;
  text: string;
  bytes: number;
  digest: string;
}

/**
 * Checks a catalog. Throws INVALID_REQUEST; `field` is the field of the request that holds the catalog or its
 * source.
 */
export function checkCatalog(catalog: Catalog, field: string): CheckedCatalog {
  rejectFaults(findCatalogFaults(catalog), `${field}.`);
  const text = JSON.stringify(catalog);
  const bytes = Buffer.byteLength(text);
  if (bytes > CATALOG_MAX_BYTES) {
    rejectFaults([
      { field, message: `a catalog has at most ${CATALOG_MAX_BYTES} bytes of JSON, this has ${bytes}` },
    ]);
  }
  const digest = createHash('sha256').update(canonicalText(catalog)).digest('base64url');
  return { catalog, text, bytes, digest };
}

/**
 * Checks the catalog of a request; undefined when there is none. Throws INVALID_REQUEST for a connection
 * whose catalog is read from its database.
 */
export function checkGivenCatalog(
  type: ConnectionType,
  input: CatalogInput | undefined,
): CheckedCatalog | undefined {
  if (input === undefined) return undefined;
  if (type !== 'static') throw invalidField('catalog', 'goes with a static connection only', 'conflict');
  return checkCatalog(catalogFrom(input), 'catalog');
}
