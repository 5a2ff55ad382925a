import type { Db, Document } from 'mongodb';
import type { Sealer } from '../sealing.js';

/** A field of long-lived documents that contains a sealed text, or a list whose items contain one. */
export interface SealedField {
  collection: string;
  /** The path to the text. If a field on it is a list, each item is searched. */
  path: readonly string[];
  /** The context that the text was sealed with. */
  contextOf(document: Document): string;
}

export interface ResealReport {
  resealed: number;
  /** The number of texts that another key has sealed: they were written meanwhile, or cannot be opened. */
  remaining: number;
}

type Parts = { database: Db; sealer: Pick<Sealer, 'open' | 'seal' | 'isCurrent'> };
type Place = { at: string; sealed: string };

/**
 * Reseals texts with the first key while the service runs. A text is replaced only if it is unchanged. A
 * writer that read the document before may restore the former text. What remains is therefore counted at the
 * end, and another run finds it.
 */
export async function resealFields(parts: Parts, fields: readonly SealedField[]): Promise<ResealReport> {
  const report: ResealReport = { resealed: 0, remaining: 0 };
  for (const field of fields) report.resealed += await resealField(parts, field);
  for (const field of fields) report.remaining += await countRemaining(parts, field);
  return report;
}

async function resealField({ database, sealer }: Parts, field: SealedField): Promise<number> {
  const collection = database.collection(field.collection);
  let resealed = 0;
  for await (const document of readSealed(database, field)) {
    const context = field.contextOf(document);
    for (const { at, sealed } of findOutdated(document, field, sealer)) {
      const fresh = reseal(sealer, sealed, context);
      if (fresh === null) continue;
      const written = await collection.updateOne(
        { _id: document['_id'], [at]: sealed },
        { $set: { [at]: fresh } },
      );
      resealed += written.modifiedCount;
    }
  }
  return resealed;
}

/** Null if the text cannot be opened. It stays unchanged and is counted. */
function reseal(sealer: Parts['sealer'], sealed: string, context: string): string | null {
  try {
    return sealer.seal(sealer.open(sealed, context), context);
  } catch {
    return null;
  }
}

async function countRemaining({ database, sealer }: Parts, field: SealedField): Promise<number> {
  let remaining = 0;
  for await (const document of readSealed(database, field))
    remaining += findOutdated(document, field, sealer).length;
  return remaining;
}

function readSealed(database: Db, { collection, path }: SealedField) {
  return database.collection(collection).find({ [path.join('.')]: { $exists: true } });
}

function findOutdated(document: Document, { path }: SealedField, sealer: Pick<Sealer, 'isCurrent'>): Place[] {
  return findTexts(document, path, '').filter(({ sealed }) => !sealer.isCurrent(sealed));
}

function findTexts(value: unknown, path: readonly string[], at: string): Place[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => findTexts(item, path, `${at}.${index}`));
  }
  const [name, ...rest] = path;
  if (name === undefined) return typeof value === 'string' ? [{ at, sealed: value }] : [];
  if (typeof value !== 'object' || value === null) return [];
  const inner: unknown = Reflect.get(value, name);
  return findTexts(inner, rest, at === '' ? name : `${at}.${name}`);
}
