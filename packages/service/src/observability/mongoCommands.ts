import type { CommandFailedEvent, CommandStartedEvent, CommandSucceededEvent, MongoClient } from 'mongodb';
import { beginSpan, type Span } from './tracing.js';

/**
 * The collection of a command. `getMore` names it in `collection`, other commands in the field of their name.
 */
function collectionOf({ command, commandName }: CommandStartedEvent): string | undefined {
  const named: unknown = command[commandName === 'getMore' ? 'collection' : commandName];
  return typeof named === 'string' ? named : undefined;
}

/**
 * Creates a span for each command within a traced operation, with its name, collection and database, but not
 * its arguments. Polls of a process belong to no trace and get no span.
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
