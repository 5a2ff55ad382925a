/** Messages of PostgreSQL's wire protocol, version 3.0: https://www.postgresql.org/docs/18/protocol.html */

export const SYNC = message('S');
/** `AuthenticationCleartextPassword`: the server listens on loopback only. */
export const PASSWORD_REQUEST = message('R', int32(3));

/** The parameters that clients read at the start of a session. */
const PARAMETERS = {
  server_version: '18.0',
  server_encoding: 'UTF8',
  client_encoding: 'UTF8',
  DateStyle: 'ISO, MDY',
  TimeZone: 'GMT',
  integer_datetimes: 'on',
  standard_conforming_strings: 'on',
};

/** The end of the authentication: the session waits for statements. */
export const WELCOME = Buffer.concat([
  message('R', int32(0)),
  ...Object.entries(PARAMETERS).map(([name, value]) => message('S', text(name), text(value))),
  message('K', int32(process.pid), int32(0)),
  message('Z', Buffer.from('I')),
]);

/** An error that ends the session. `code` is an SQLSTATE. */
export function fatalError(code: string, reason: string): Buffer {
  const fields = { S: 'FATAL', V: 'FATAL', C: code, M: reason };
  const parts = Object.entries(fields).map(([field, value]) => text(field + value));
  return message('E', ...parts, Buffer.alloc(1));
}

const READY_AND_IDLE = message('Z', Buffer.from('I'));

/** Whether a response ends with `ReadyForQuery` outside of a transaction. */
export function endsIdle(response: Uint8Array): boolean {
  return READY_AND_IDLE.equals(response.subarray(-READY_AND_IDLE.length));
}

/** The parameters of a startup message, after its length and version. */
export function readParameters(startup: Buffer): Map<string, string> {
  const texts = startup.subarray(8).toString().split('\0');
  const pairs = Array.from({ length: Math.floor(texts.length / 2) }, (_, index) => index * 2);
  return new Map(pairs.map((at) => [texts[at] ?? '', texts[at + 1] ?? '']));
}

function message(type: string, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(content.length + 4), content]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}
