import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

/** The subjects that a user would publish and subscribe to. */
export interface Wishes {
  publish?: readonly string[];
  subscribe?: readonly string[];
}

const VIOLATION = /^-ERR 'Permissions Violation for (?:Publish|Subscription) to "([^"]+)"/;

/**
 * Which of these subjects a nats-server denies to a user with the URL. It uses NATS's own protocol,
 * independent of any library: https://docs.nats.io/reference/reference-protocols/nats-protocol
 */
export async function findDenied(url: string, { publish = [], subscribe = [] }: Wishes): Promise<string[]> {
  const { hostname, port, username, password } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const login = { verbose: false, pedantic: false, user: username, pass: password };
  const lines = [
    `CONNECT ${JSON.stringify(login)}`,
    ...publish.map((subject) => `PUB ${subject} 0\r\n`),
    ...subscribe.map((subject, index) => `SUB ${subject} ${index}`),
    'PING',
  ];
  socket.write(`${lines.join('\r\n')}\r\n`);
  const denied: string[] = [];
  for await (const line of createInterface(socket)) {
    const subject = VIOLATION.exec(line)?.[1];
    if (subject !== undefined) denied.push(subject);
    else if (line.startsWith('-ERR')) throw new Error(`nats-server reported ${line}`);
    // Denials precede this reply.
    if (line === 'PONG') {
      socket.destroy();
      return denied;
    }
  }
  throw new Error('nats-server ended the connection');
}
