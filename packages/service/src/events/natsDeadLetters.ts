import { jetstreamManager, type JetStreamManager, type StoredMsg } from '@nats-io/jetstream';
import { connect, nuid, type NatsConnection } from '@nats-io/transport-node';
import type { DeadLetterBox, KeptLetter, ReplayOutcome } from '../deadLetters.js';
import type { DeadLetter } from './bus.js';
import { readServer } from './natsServer.js';
import {
  DEAD_LETTER_STREAM,
  deadLetterId,
  deadLetterSubject,
  ensureStreams,
  replayedPrefix,
  replaySubject,
} from './natsStreams.js';

/** Longer than the time limit of a handler. */
const REPLAY_TIMEOUT_MS = 35_000;

interface Found {
  letter: KeptLetter;
  /** Its position in the stream. */
  sequence: number;
}

/**
 * Returns the dead letter in a message; undefined if there is none. A process may write only those of its own
 * consumers, so the subject must be that of the consumer that the letter names.
 */
function readLetter({ data, subject }: StoredMsg): DeadLetter | undefined {
  try {
    const letter = JSON.parse(new TextDecoder().decode(data)) as Partial<DeadLetter> | null;
    const isOwn = typeof letter?.consumer === 'string' && subject === deadLetterSubject(letter.consumer);
    return isOwn && typeof letter.event?.id === 'string' ? (letter as DeadLetter) : undefined;
  } catch {
    return undefined;
  }
}

async function readLetters(jsm: JetStreamManager): Promise<Found[]> {
  const { state } = await jsm.streams.info(DEAD_LETTER_STREAM, { deleted_details: true });
  const deleted = new Set(state.deleted);
  const found: Found[] = [];
  for (let sequence = state.first_seq; sequence <= state.last_seq; sequence += 1) {
    if (deleted.has(sequence)) continue;
    const message = await jsm.streams.getMessage(DEAD_LETTER_STREAM, { seq: sequence });
    const letter = message === null ? undefined : readLetter(message);
    if (letter === undefined) continue;
    found.push({ letter: { ...letter, id: deadLetterId(letter) }, sequence });
  }
  return found;
}

async function requestReplay(nc: NatsConnection, letter: KeptLetter): Promise<ReplayOutcome> {
  try {
    const reply = `${replayedPrefix(letter.consumer)}${nuid.next()}`;
    const options = { timeout: REPLAY_TIMEOUT_MS, noMux: true, reply };
    const answer = await nc.request(replaySubject(letter.consumer), JSON.stringify(letter.event), options);
    return answer.string() === 'handled' ? 'handled' : 'failed';
  } catch {
    // No process runs the consumer, or it ended before it responded.
    return 'waiting';
  }
}

/** As `openNatsLetters`. */
export async function openLetters(url: string): Promise<DeadLetterBox> {
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
