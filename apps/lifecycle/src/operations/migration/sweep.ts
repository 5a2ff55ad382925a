import { newKey } from '@gatehouse/service';
import { carryToEnd } from './carryOut.js';
import type { Migrations } from './migrations.js';

/** In one sweep: another follows. */
const TAKEN_MAX = 100;
/** Longer than planning may take. */
const CONTENTS_KEPT_MS = 3_600_000;

/** A lease from now on, for whoever works on a migration. */
export function newLease({ leaseMs }: Pick<Migrations, 'leaseMs'>) {
  return { key: newKey(), until: new Date(Date.now() + leaseMs) };
}

/** Carries on the migrations of processes that died, or that could not go on. */
export async function sweepLapsed(migrations: Migrations): Promise<void> {
  const { store, log } = migrations;
  for (let taken = 0; taken < TAKEN_MAX; taken += 1) {
    const document = await store.takeLapsed(new Date(), newLease(migrations));
    if (document === null) return;
    try {
      await carryToEnd(migrations, document);
    } catch (err) {
      log.warn({ err, migration: document._id }, 'a migration was not carried to its end; it is tried again');
      return;
    }
  }
}

/** Deletes the contents of steps that nobody will carry out any more. */
export async function sweepContents({ store }: Migrations, now: Date): Promise<void> {
  await store.deleteUnneeded(new Date(now.getTime() - CONTENTS_KEPT_MS));
}
