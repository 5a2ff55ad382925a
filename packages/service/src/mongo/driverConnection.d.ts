/** The used part of a class that the driver does not declare: its end of one socket. */
declare module 'mongodb/lib/cmap/connection.js' {
  import type { EventEmitter } from 'node:events';

  export class Connection extends EventEmitter {
    /** Why the connection closed. Null while it is open. Set before `close` is emitted. */
    error: Error | null;
    writeCommand(...command: unknown[]): Promise<void>;
  }
}
