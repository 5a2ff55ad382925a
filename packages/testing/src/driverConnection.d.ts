/** The class of the driver that sends each command, of which the package declares nothing. */
declare module 'mongodb/lib/cmap/connection.js' {
  export const Connection: { prototype: { command(...sent: unknown[]): Promise<unknown> } };
}
