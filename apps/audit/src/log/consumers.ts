import { defineConsumer } from '@gatehouse/service';
import { EntryAppender, type AppenderParts } from './appendEvents.js';

/** Appends every event of the platform to the log of its organization. */
export function createLogConsumer(parts: AppenderParts) {
  const appender = new EntryAppender(parts);
  return defineConsumer('audit-log', (event) => appender.append(event));
}
