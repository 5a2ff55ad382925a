import type { Socket } from 'node:net';

/** A message of PostgreSQL's protocol, version 3. */
export function postgresMessage(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** An authentication request: code 0 accepts the client, code 3 requests its password in plain text. */
export function postgresAuthentication(code: number): Buffer {
  const body = Buffer.alloc(4);
  body.writeUInt32BE(code);
  return postgresMessage('R', body);
}

/** A packet of MySQL's protocol. */
export function mysqlPacket(sequence: number, body: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUIntLE(body.length, 0, 3);
  head.writeUInt8(sequence, 3);
  return Buffer.concat([head, body]);
}

/** The first packet of a MySQL server, with its default authentication plugin. */
export function mysqlGreeting(plugin: string): Buffer {
  const capabilities = Buffer.from('8a820800', 'hex');
  return mysqlPacket(
    0,
    Buffer.concat([
      Buffer.from('\u000a8.0.36\0', 'latin1'),
      Buffer.alloc(4, 1),
      Buffer.alloc(8, 0x41),
      Buffer.from([0]),
      capabilities.subarray(0, 2),
      Buffer.from([45, 2, 0]),
      capabilities.subarray(2),
      Buffer.from([21]),
      Buffer.alloc(10),
      Buffer.alloc(12, 0x42),
      Buffer.from(`\0${plugin}\0`, 'latin1'),
    ]),
  );
}

/** An OK packet. */
export function mysqlOk(sequence: number): Buffer {
  return mysqlPacket(sequence, Buffer.from([0, 0, 0, 2, 0, 0, 0]));
}

/** Runs the first response on the client's first message, the second on its second, and so on. */
export function respondInTurn(socket: Socket, responses: readonly (() => void)[]): void {
  let turn = 0;
  socket.on('data', () => {
    responses[turn]?.();
    turn += 1;
  });
}

/** Writes as long as the client reads. */
export function flood(socket: Socket, chunk: Buffer): void {
  const write = (): void => {
    let isTaken = true;
    while (isTaken && !socket.destroyed) isTaken = socket.write(chunk);
  };
  socket.on('drain', write);
  write();
}
