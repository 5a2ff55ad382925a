import type { AccessLevel, ShareScope } from '@gatehouse/contract';
import type { Document } from 'mongodb';
import type { ShareFacts } from '../../decisions/logic/access.js';

/**
 * The largest number of packed shares. A list decides a hundred resources. One line of text for each share
 * costs less than a document for each, or than a filter in the engine: see bench/README.md.
 */
export const PACKED_MAX = 200;
const SEPARATOR = ' ';
const NEVER = '-';

/** Returns a share as a line of text. */
function shareLine({ subject, scope, role, expiresAt, id }: ShareFacts): string {
  return [subject, scope, role, expiresAt === null ? NEVER : expiresAt.getTime(), id].join(SEPARATOR);
}

/**
 * Returns the shares as lines of text, in their order; undefined if there are too many to read with a list.
 */
export function packShares(shares: readonly ShareFacts[]): string | undefined {
  if (shares.length > PACKED_MAX) return undefined;
  return shares.map(shareLine).join('\n');
}

/** Returns the packed shares that reach one of the subjects. */
export function unpackShares(packed: string, subjects: Pick<ReadonlySet<string>, 'has'>): ShareFacts[] {
  const shares: ShareFacts[] = [];
  if (packed === '') return shares;
  for (const line of packed.split('\n')) {
    if (!subjects.has(line.slice(0, line.indexOf(SEPARATOR)))) continue;
    const [subject = '', scope, role, expiry, id = ''] = line.split(SEPARATOR);
    const expiresAt = expiry === NEVER ? null : new Date(Number(expiry));
    shares.push({ id, scope: scope as ShareScope, role: role as AccessLevel, subject, expiresAt });
  }
  return shares;
}

/**
 * The shares of a resource with too many to pack into one text: a text for each bucket of subjects, so that a
 * reader's shares are read without the others. They count only if they have the revision of the document: a
 * release that does not know them changes the shares and the revision, and leaves the buckets.
 */
export interface ShareBuckets {
  revision: number;
  [bucket: string]: string | number;
}

/** The parts of a document by which its buckets count or not. */
export interface Bucketed {
  revision: number;
  shareBuckets?: ShareBuckets;
}

const FIELD = 'shareBuckets';
/** With 10,000 shares, a bucket has ten. */
const BUCKETS = 1024;
/** With more subjects, the buckets are read as a whole. */
const SUBJECTS_MAX = 200;

/** The bucket of a subject (FNV-1a). Stored documents depend on it. */
function bucketOf(subject: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < subject.length; index += 1)
    hash = Math.imul(hash ^ subject.charCodeAt(index), 0x01000193);
  return `b${(hash >>> 0) % BUCKETS}`;
}

function packBuckets(
  shares: readonly ShareFacts[],
  isWanted: (bucket: string) => boolean,
): Map<string, string> {
  const lines = new Map<string, string[]>();
  for (const share of shares) {
    const bucket = bucketOf(share.subject);
    if (!isWanted(bucket)) continue;
    const known = lines.get(bucket);
    if (known === undefined) lines.set(bucket, [shareLine(share)]);
    else known.push(shareLine(share));
  }
  return new Map([...lines].map(([bucket, texts]) => [bucket, texts.join('\n')]));
}

/** Returns the buckets of a resource at a revision; undefined if its shares are packed into one text. */
export function bucketsOf(shares: readonly ShareFacts[], revision: number): ShareBuckets | undefined {
  if (shares.length <= PACKED_MAX) return undefined;
  return { revision, ...Object.fromEntries(packBuckets(shares, () => true)) };
}

/** Returns true if the buckets of a document have all of its shares. */
export function hasBuckets({ revision, shareBuckets }: Bucketed): boolean {
  return shareBuckets?.revision === revision;
}

/**
 * Returns the fields that a write sets, so that the buckets have all shares after it; undefined unsets a
 * field. Buckets that do not count are made again.
 */
export function bucketFields(
  before: Bucketed & { shares: readonly ShareFacts[] },
  after: { revision: number; shares: readonly ShareFacts[] },
): Record<string, unknown> {
  const { shares, revision } = after;
  if (shares.length <= PACKED_MAX) return before.shareBuckets === undefined ? {} : { [FIELD]: undefined };
  if (!hasBuckets(before)) return { [FIELD]: bucketsOf(shares, revision) };
  const changed = new Set<string>();
  const [old, current] = [new Set(before.shares), new Set(shares)];
  for (const share of before.shares) if (!current.has(share)) changed.add(bucketOf(share.subject));
  for (const share of shares) if (!old.has(share)) changed.add(bucketOf(share.subject));
  const packed = packBuckets(shares, (bucket) => changed.has(bucket));
  const fields = [...changed].map((bucket) => [`${FIELD}.${bucket}`, packed.get(bucket)]);
  return { [`${FIELD}.revision`]: revision, ...Object.fromEntries(fields) };
}

/** Projects what {@link unpackBuckets} needs for all subjects. */
export const ALL_BUCKETS: Document = { revision: 1, [FIELD]: 1 };

/** Projects what {@link unpackBuckets} needs for some subjects. */
export function bucketProjection(subjects: readonly string[]): Document {
  if (subjects.length > SUBJECTS_MAX) return ALL_BUCKETS;
  const fields = subjects.map((subject) => [`${FIELD}.${bucketOf(subject)}`, 1]);
  return { revision: 1, [`${FIELD}.revision`]: 1, ...Object.fromEntries(fields) };
}

/** Returns the shares that reach one of the subjects; null if the buckets do not count. */
export function unpackBuckets(
  document: Bucketed,
  subjects: Pick<ReadonlySet<string>, 'has'>,
): ShareFacts[] | null {
  const { shareBuckets } = document;
  if (shareBuckets === undefined || !hasBuckets(document)) return null;
  const texts = Object.values(shareBuckets).filter((value) => typeof value === 'string');
  return texts.flatMap((text) => unpackShares(text, subjects));
}
