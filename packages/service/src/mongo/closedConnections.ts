import { Connection } from 'mongodb/lib/cmap/connection.js';

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
  Connection.prototype.writeCommand = async function (...command) {
    if (this.error !== null) throw this.error;
    let onClose = () => {};
    const closed = new Promise<never>((_, reject) => {
      onClose = () => reject(this.error ?? new Error('The connection is closed'));
    });
    this.once('close', onClose);
    try {
      await Promise.race([writeCommand.apply(this, command), closed]);
    } finally {
      this.off('close', onClose);
    }
  };
}
