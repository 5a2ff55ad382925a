import { AppError, quotaExceeded } from '@gatehouse/contract';
import { LRUCache } from 'lru-cache';
import { duplicateKeysOf } from '../mongo/databaseErrors.js';
import { currentDryRun, type DryRun } from '../dryRun/dryRun.js';
import { fits, Ledger } from './ledger.js';
import { negative, NOTHING, sum, type Usage } from './usage.js';
import type { QuotaLimits } from './limits.js';

/** The scope of a count: an organization or one of its tenants. */
export interface UsageScope {
  organizationId: string;
  tenantId?: string | null | undefined;
}

export interface QuotaOptions {
  /** The counted records, as the error names them. */
  name: string;
  limits: QuotaLimits;
  /** Counts in the database, by an index. */
  count: (scope: UsageScope) => Promise<Usage>;
}

/** The number of cached ledgers, each of an organization or tenant. */
const LEDGERS_MAX = 20_000;
/**
 * Above this part of a limit, a write waits for a count that is due. Below it, the count runs in the
 * background.
 */
const NEAR = 0.9;

/** A limit and the ledger of its usage. */
interface Limited {
  ledger: Ledger;
  limits: Usage;
  name: string;
}

/**
 * Limits the records of one kind that an organization and each of its tenants hold. The database counts the
 * usage, and this process updates it between two counts, so one process never exceeds a limit. Several
 * processes can exceed it by what the others write while a count is valid.
 */
export class Quota {
  readonly #options: QuotaOptions;
  readonly #ledgers = new LRUCache<string, Ledger>({ maxSize: LEDGERS_MAX, sizeCalculation: () => 1 });

  constructor(options: QuotaOptions) {
    this.#options = options;
  }

  /**
   * Runs a write that adds or removes records or bytes. A write that rejects has changed nothing. A write
   * that adds neither records nor bytes is never rejected.
   * @throws QUOTA_EXCEEDED before a write that would exceed a limit, and the error of the database if the
   * count fails
   */
  async change<T>(scope: UsageScope, growth: Usage, write: () => Promise<T>): Promise<T> {
    if (growth.records === 0 && growth.bytes === 0) return write();
    const dryRun = currentDryRun();
    if (dryRun) return this.#changeDry(dryRun, { scope, growth }, write);
    const limited = growth.records > 0 || growth.bytes > 0 ? await this.#reserve(scope, growth) : [];
    let isWritten = false;
    try {
      const result = await write();
      isWritten = true;
      return result;
    } finally {
      for (const { ledger } of limited) ledger.settle(growth, isWritten);
      if (isWritten && limited.length === 0)
        this.release(scope, { records: -growth.records, bytes: -growth.bytes });
    }
  }

  /**
   * Inserts a record of this size. Returns null, or the record that an earlier run of the same operation has
   * inserted, even if the quota is now exhausted.
   * @throws as `change`, and the error of the database if a unique index rejects a record that was never
   * inserted
   */
  async insert<T>(
    scope: UsageScope,
    bytes: number,
    { insert, findEarlier }: { insert: () => Promise<unknown>; findEarlier: () => Promise<T | null> },
  ): Promise<T | null> {
    try {
      await this.change(scope, { records: 1, bytes }, insert);
      return null;
    } catch (error) {
      const isFull = error instanceof AppError && error.code === 'QUOTA_EXCEEDED';
      // Another index may reject first, because the earlier record has the same name too.
      const earlier = isFull || duplicateKeysOf(error) !== null ? await findEarlier() : null;
      if (earlier === null) throw error;
      return earlier;
    }
  }

  /**
   * Counts at once what the organization or the tenant uses, for a caller that knows of deletions elsewhere.
   * Concurrent callers share one count.
   */
  async recount(scope: UsageScope): Promise<Usage> {
    const ledger = this.#ledgerOf(scope);
    await ledger.refresh();
    return ledger.used;
  }

  /** Records a deletion, so that its usage is available immediately. */
  release(scope: UsageScope, gone: Usage): void {
    const dryRun = currentDryRun();
    if (dryRun) return this.#growDry(dryRun, this.#limitedBy(scope), negative(gone));
    for (const { ledger } of this.#limitedBy(scope)) ledger.release(gone);
  }

  /** As `change`, in a dry run: what it adds counts in this run alone. */
  async #changeDry<T>(
    dryRun: DryRun,
    { scope, growth }: { scope: UsageScope; growth: Usage },
    write: () => Promise<T>,
  ): Promise<T> {
    const limited = this.#limitedBy(scope);
    const isGrowing = growth.records > 0 || growth.bytes > 0;
    if (isGrowing) for (const each of limited) await makeRoom(each, growth);
    for (const each of isGrowing ? limited : [])
      requireRoom(each, growth, sum(each.ledger.used, dryRun.growth.get(each.ledger) ?? NOTHING));
    const result = await write();
    this.#growDry(dryRun, limited, growth);
    return result;
  }

  #growDry({ growth: all }: DryRun, limited: readonly Limited[], growth: Usage): void {
    for (const { ledger } of limited) all.set(ledger, sum(all.get(ledger) ?? NOTHING, growth));
  }

  async #reserve(scope: UsageScope, growth: Usage): Promise<Limited[]> {
    const limited = this.#limitedBy(scope);
    for (const each of limited) await makeRoom(each, growth);
    // No await between this check and the reservation, so that two writes cannot use the same room.
    for (const each of limited) requireRoom(each, growth);
    for (const { ledger } of limited) ledger.reserve(growth);
    return limited;
  }

  #limitedBy({ organizationId, tenantId }: UsageScope): Limited[] {
    const { name, limits } = this.#options;
    const { records, bytes, tenantPercent } = limits;
    const whole = { records: records || Infinity, bytes: bytes || Infinity };
    if (whole.records === Infinity && whole.bytes === Infinity) return [];
    const limited = [{ ledger: this.#ledgerOf({ organizationId }), limits: whole, name }];
    if (typeof tenantId !== 'string' || tenantPercent === 0) return limited;
    const part = (limit: number) => Math.max(1, Math.floor((limit * tenantPercent) / 100));
    const ledger = this.#ledgerOf({ organizationId, tenantId });
    const parts = { records: part(whole.records), bytes: part(whole.bytes) };
    return [...limited, { ledger, limits: parts, name: `${name} of one tenant` }];
  }

  #ledgerOf(scope: UsageScope): Ledger {
    // Ids contain no space.
    const key = `${scope.organizationId} ${scope.tenantId ?? ''}`;
    const known = this.#ledgers.get(key);
    if (known !== undefined) return known;
    const ledger = new Ledger(() => this.#options.count(scope));
    this.#ledgers.set(key, ledger);
    return ledger;
  }
}

/** Refreshes the count if it is due, and waits for it if the usage is unknown or close to the limit. */
async function makeRoom({ ledger, limits }: Limited, growth: Usage): Promise<void> {
  if (!ledger.isDue) return;
  const near = { records: limits.records * NEAR, bytes: limits.bytes * NEAR };
  if (!ledger.isKnown || !fits(ledger.used, growth, near)) return ledger.refresh();
  // After a failed count the usage is unknown, and the next write waits for a count.
  ledger.refresh().catch(() => {});
}

function requireRoom({ ledger, limits, name }: Limited, growth: Usage, used = ledger.used): void {
  if (!fits(used, { ...growth, bytes: 0 }, limits)) throw quotaExceeded(name, limits.records);
  if (!fits(used, growth, limits)) throw quotaExceeded(`bytes of ${name}`, limits.bytes);
}
