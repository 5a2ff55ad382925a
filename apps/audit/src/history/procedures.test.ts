import type { AppError } from '@gatehouse/contract';
import { newId, type CallContext } from '@gatehouse/service';
import { startTestMongo } from '@gatehouse/testing';
import { afterAll, expect, it, vi } from 'vitest';
import { adminOf } from '../testing/platform.js';
import { createHistoryProcedures } from './procedures.js';
import { HistoryStore } from './store.js';

const mongo = await startTestMongo();
afterAll(() => mongo[Symbol.asyncDispose]());

/** A store that reads nothing of one organization until it is released. */
class HeldStore extends HistoryStore {
  #release = () => {};
  readonly #released = new Promise<void>((resolve) => {
    this.#release = resolve;
  });
  readonly #held: string;
  /** The number of reads of the organization that have begun. */
  begun = 0;

  constructor(held: string) {
    super(mongo.databases.of('audit'));
    this.#held = held;
  }

  release(): void {
    this.#release();
  }

  override async findRecordedUntil(organizationId: string): Promise<Date | null> {
    if (organizationId === this.#held) {
      this.begun += 1;
      await this.#released;
    }
    return super.findRecordedUntil(organizationId);
  }
}

const contextOf = (organizationId: string) => ({ principal: adminOf(organizationId) }) as CallContext;

it('reads of the past leave capacity to other organizations, and wait in a bounded queue', async () => {
  const [busy, other] = [newId('organization'), newId('organization')];
  const store = new HeldStore(busy);
  const { users } = createHistoryProcedures(store);
  const input = { at: '2026-03-01T10:00:00Z', ids: ['ou_1'] };
  const outcomes = Array.from({ length: 60 }, () =>
    users(input, contextOf(busy)).then(
      () => 'read',
      ({ code }: AppError) => code,
    ),
  );
  await vi.waitFor(() => expect(store.begun).toBeGreaterThan(0));
  expect(await users(input, contextOf(other))).toMatchObject({ users: [] });
  expect(store.begun).toBeLessThan(8);
  store.release();
  const all = await Promise.all(outcomes);
  expect(all.filter((outcome) => outcome === 'RATE_LIMITED').length).toBeGreaterThan(20);
  expect(all.filter((outcome) => outcome === 'read').length).toBeGreaterThan(30);
});
