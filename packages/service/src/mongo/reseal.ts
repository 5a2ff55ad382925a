import type { Db, Document } from 'mongodb';
import type { Sealer } from '../sealing.js';

/** A field that holds a sealed text, or a list whose items do, in documents that live on. */
export interface SealedField {
  collection: string;
  /** The fields on the way to the text. Where one holds a list, the rest is looked for in each item. */
  path: readonly string[];
  /** What binds the text to its place, as it was given when it was sealed. */
  contextOf(document: Document): string;
}

export interface ResealReport {
  resealed: number;
  /** What the first key has not sealed by now: it was written meanwhile, or does not open. */
  remaining: number;
}

type Parts = { database: Db; sealer: Pick<Sealer, 'open' | 'seal' | 'isCurrent'> };
type Place = { at: string; sealed: string };

/**
 * Seals with the first key whatever another one has sealed, while the service runs on: a text is replaced only where it still
 * stands. A writer who read the document before and writes it afterwards may bring the former text back, so what remains is
 * counted at the end, and a repetition finds it.
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

/** Null where the text does not open: it stays as it is, and is counted. */
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
