import type { CommandFailedEvent, CommandStartedEvent, CommandSucceededEvent, MongoClient } from 'mongodb';
import { beginSpan, type Span } from './tracing.js';

/** The collection that a command names, where it names one: by its own name, or, of more of a result, as `collection`. */
function collectionOf({ command, commandName }: CommandStartedEvent): string | undefined {
  const named: unknown = command[commandName === 'getMore' ? 'collection' : commandName];
  return typeof named === 'string' ? named : undefined;
}

/**
 * Makes a span of each command that is part of a traced piece of work: its name, its collection and its database, and nothing of
 * what it asks for. The polls of a process belong to nothing and have none.
 */
export function traceCommands(client: MongoClient): void {
  const running = new Map<number, Span>();
  client.on('commandStarted', (event) => {
    const { commandName, databaseName, requestId } = event;
    const collection = collectionOf(event);
    const span = beginSpan(collection === undefined ? commandName : `${commandName} ${collection}`, {
      kind: 'client',
      attributes: {
        'db.system.name': 'mongodb',
        'db.namespace': databaseName,
        'db.operation.name': commandName,
        ...(collection === undefined ? {} : { 'db.collection.name': collection }),
      },
    });
    if (span) running.set(requestId, span);
  });
  const end = ({ requestId }: CommandSucceededEvent | CommandFailedEvent) => {
    running.get(requestId)?.end();
    running.delete(requestId);
  };
  client.on('commandSucceeded', end);
  client.on('commandFailed', (event) => {
    running.get(event.requestId)?.fail('command_failed');
    end(event);
  });
}
