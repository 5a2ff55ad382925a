import { MongoClient, type CommandStartedEvent, type Document } from 'mongodb';

/** A command that a client of this process sends to MongoDB. */
export interface SentCommand {
  /** The name of the command, such as `find`. */
  name: string;
  /** The name of the database. */
  database: string;
  command: Document;
}

type Listen = (client: MongoClient) => void;
const listening = new Set<Listen>();
const connected = new WeakSet<MongoClient>();
let isPatched = false;

function patchConnect(): void {
  if (isPatched) return;
  isPatched = true;
  const { connect } = MongoClient.prototype;
  MongoClient.prototype.connect = function () {
    if (!connected.has(this) && listening.size > 0) {
      // The types of the driver lack the property.
      Object.assign(this, { monitorCommands: true });
      for (const listen of listening) listen(this);
    }
    connected.add(this);
    return connect.call(this);
  };
}

/**
 * Calls `listen` once with each client that connects in this process from now on, until the returned function
 * is called. The client emits events of its commands, to which `listen` can add listeners.
 */
export function watchClients(listen: Listen): () => void {
  patchConnect();
  listening.add(listen);
  return () => void listening.delete(listen);
}

/**
 * Calls `listener` with each command of the clients that connect in this process from now on, until the
 * returned function is called.
 */
export function watchCommands(listener: (sent: SentCommand) => void): () => void {
  const forward = ({ commandName: name, databaseName: database, command }: CommandStartedEvent) =>
    listener({ name, database, command });
  return watchClients((client) => void client.on('commandStarted', forward));
}
