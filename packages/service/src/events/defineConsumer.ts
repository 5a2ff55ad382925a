import { consumedEvents, type ConsumerName } from '@gatehouse/contract';
import type { DurableConsumer } from './bus.js';

/** A durable consumer with its name in its type. */
export interface NamedConsumer<N extends string = string> extends DurableConsumer {
  name: N;
}

/** Creates a durable consumer of the service manifest, which determines the events that it receives. */
export function defineConsumer<N extends ConsumerName>(
  name: N,
  handle: DurableConsumer['handle'],
): NamedConsumer<N> {
  return { name, types: consumedEvents(name), handle };
}
