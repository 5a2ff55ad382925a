/** What is used of a class that the driver has no types for: its own end of one socket. */
declare module 'mongodb/lib/cmap/connection.js' {
  import type { EventEmitter } from 'node:events';

  export class Connection extends EventEmitter {
    /** Why the connection is over; null while it is not. Set before `close` is emitted. */
    error: Error | null;
    writeCommand(...command: unknown[]): Promise<void>;
  }
}
