import type { DeadLetterBox } from '../deadLetters.js';
import type { EventBus } from './bus.js';
import type { NatsBusOptions } from './natsBus.js';

// A standalone without NATS starts sooner because the client of NATS is loaded only when it connects.

/**
 * Creates an event bus on NATS JetStream. Returns before it is connected, even if NATS is down, and keeps
 * trying to connect. Each new connection creates missing streams and consumers.
 *
 * @throws TypeError if the URL is malformed
 */
export async function connectNatsBus(options: NatsBusOptions): Promise<EventBus> {
  const { NatsBus } = await import('./natsBus.js');
  return new NatsBus(options);
}

/**
 * Opens the dead letters of the bus on NATS. A replay is a request to a process that runs the consumer. If
 * there is none, the letter stays.
 *
 * @throws if NATS does not respond
 */
export async function openNatsLetters(url: string): Promise<DeadLetterBox> {
  const { openLetters } = await import('./natsDeadLetters.js');
  return openLetters(url);
}
