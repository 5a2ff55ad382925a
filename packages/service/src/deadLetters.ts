import type { Db } from 'mongodb';
import type { DeadLetter } from './events/bus.js';

/** Keeps the dead letters of the bus in process. Storing the same one twice keeps one. */
export function storeDeadLetters(database: Db): (letter: DeadLetter) => Promise<void> {
  const letters = database.collection<DeadLetter & { _id: string }>('deadLetters');
  return async (letter) => {
    const _id = `${letter.consumer}:${letter.event.id}`;
    await letters.replaceOne({ _id }, letter, { upsert: true });
  };
}
