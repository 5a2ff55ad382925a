import { Connection } from 'mongodb/lib/cmap/connection.js';

/** What fails the command that is being written to a connection, of which each has one at a time. */
const FAIL_WRITE = Symbol('failWrite');
const NOTHING = (): void => {};

type WatchedConnection = Connection & { [FAIL_WRITE]?: () => void };

let isDone = false;

/**
 * Fails every command that is written to a connection that closes, with the error that closed it.
 *
 * The driver (7.9) waits for its socket to drain or to fail. A socket that was destroyed but has not reported
 * it yet accepts data and does neither. The command then never returns, and if it was the heartbeat, neither
 * does any other command of the process. This happens in about one in ten cases in which a server is killed
 * under load.
 */
export function endCommandsOfClosedConnections(): void {
  if (isDone) return;
  isDone = true;
  const { writeCommand } = Connection.prototype;
  Connection.prototype.writeCommand = async function (this: WatchedConnection, ...command) {
    if (this.error !== null) throw this.error;
    if (this[FAIL_WRITE] === undefined) this.once('close', () => this[FAIL_WRITE]?.());
    let onClose = NOTHING;
    const closed = new Promise<never>((_, reject) => {
      onClose = () => reject(this.error ?? new Error('The connection is closed'));
    });
    this[FAIL_WRITE] = onClose;
    try {
      await Promise.race([writeCommand.apply(this, command), closed]);
    } finally {
      // A connection would keep its last command alive, with the response to it.
      this[FAIL_WRITE] = NOTHING;
    }
  };
}
