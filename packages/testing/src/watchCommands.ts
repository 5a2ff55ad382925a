import { MongoClient, type CommandStartedEvent, type Document } from 'mongodb';

/** A command that a client of this process sends to MongoDB. */
export interface SentCommand {
  /** The name of the command, such as `find`. */
  name: string;
  /** The name of the database. */
  database: string;
  command: Document;
}

/**
 * Calls `listener` with each command of the clients that connect in this process from now on, until the
 * returned function is called.
 */
export function watchCommands(listener: (sent: SentCommand) => void): () => void {
  const { connect } = MongoClient.prototype;
  const forward = ({ commandName: name, databaseName: database, command }: CommandStartedEvent) =>
    listener({ name, database, command });
  MongoClient.prototype.connect = function () {
    // The types of the driver lack the property.
    Object.assign(this, { monitorCommands: true });
    this.on('commandStarted', forward);
    return connect.call(this);
  };
  return () => {
    MongoClient.prototype.connect = connect;
  };
}
