import { Connection } from 'mongodb/lib/cmap/connection.js';

let isDone = false;

/**
 * Makes every command of the driver end that is written to a connection which closes, with the error that closed it.
 *
 * The driver (7.9) waits for its socket to drain or to fail. A socket that was destroyed, and has not said so yet, takes what is
 * written to it without a word and does neither, so that the command is never answered; nor, where it was the heartbeat,
 * is any other command of the process. A store that is killed under load does that about once in ten times.
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
