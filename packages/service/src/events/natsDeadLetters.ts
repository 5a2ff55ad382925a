import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { DeadLetterBox, KeptLetter, ReplayOutcome } from '../deadLetters.js';
import type { DeadLetter } from './bus.js';
import { readServer } from './natsServer.js';
import { DEAD_LETTER_STREAM, deadLetterId, ensureStreams, replaySubject } from './natsStreams.js';

/** Longer than the time limit of a handler. */
const REPLAY_TIMEOUT_MS = 35_000;

interface Found {
  letter: KeptLetter;
  /** Its position in the stream. */
  sequence: number;
}

async function readLetters(jsm: JetStreamManager): Promise<Found[]> {
  const { state } = await jsm.streams.info(DEAD_LETTER_STREAM, { deleted_details: true });
  const deleted = new Set(state.deleted);
  const found: Found[] = [];
  for (let sequence = state.first_seq; sequence <= state.last_seq; sequence += 1) {
    if (deleted.has(sequence)) continue;
    const message = await jsm.streams.getMessage(DEAD_LETTER_STREAM, { seq: sequence });
    if (message === null) continue;
    const letter = message.json<DeadLetter>();
    found.push({ letter: { ...letter, id: deadLetterId(letter) }, sequence });
  }
  return found;
}

async function requestReplay(nc: NatsConnection, letter: KeptLetter): Promise<ReplayOutcome> {
  try {
    const options = { timeout: REPLAY_TIMEOUT_MS };
    const answer = await nc.request(replaySubject(letter.consumer), JSON.stringify(letter.event), options);
    return answer.string() === 'handled' ? 'handled' : 'failed';
  } catch {
    // No process runs the consumer, or it ended before it responded.
    return 'waiting';
  }
}

/**
 * Opens the dead letters of the bus on NATS. A replay is a request to a process that runs the consumer. If
 * there is none, the letter stays.
 *
 * @throws if NATS does not respond
 */
export async function openNatsLetters(url: string): Promise<DeadLetterBox> {
  const nc = await connect({ ...readServer(url), name: 'dead letters', reconnect: false });
  const jsm = await jetstreamManager(nc);
  await ensureStreams(jsm);
  const forget = async ({ id }: KeptLetter) => {
    for (const { letter, sequence } of await readLetters(jsm)) {
      if (letter.id === id) await jsm.streams.deleteMessage(DEAD_LETTER_STREAM, sequence);
    }
  };
  return {
    async list() {
      // A consumer that gives up an event again after two minutes writes a second letter. The last one
      // counts.
      const byId = new Map((await readLetters(jsm)).map(({ letter }) => [letter.id, letter]));
      return [...byId.values()];
    },
    async replay(letter) {
      const outcome = await requestReplay(nc, letter);
      if (outcome === 'handled') await forget(letter);
      return outcome;
    },
    drop: forget,
    close: () => nc.close(),
  };
}
