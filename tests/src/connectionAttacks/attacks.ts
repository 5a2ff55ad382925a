import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What one connection of an attack sends. */
export interface Attack {
  name: string;
  /** Sent at once. */
  head(authorization: string): string;
  /** Sent again and again, a piece each half a second. */
  drip?: string;
  /** Half-closes the connection after the head. */
  isHalfClosed?: true;
  /** Never reads what comes back. */
  isDeaf?: true;
  /** The gateway ends the connection by itself: it never becomes a request that is answered. */
  isEnded?: true;
}

const PIPELINED = 20;
const BODY = 'Content-Type: application/json\r\n';

/** A write, for which a token is needed, or a request for a token. */
function post(authorization: string): string {
  const path = authorization === '' ? '/api/v1/token' : '/api/management/v1/dashboards';
  return `POST ${path} HTTP/1.1\r\nHost: gatehouse\r\n${authorization}${BODY}`;
}

/** A large page, or a list of records. */
function get(authorization: string): string {
  const path = authorization === '' ? '/openapi.json' : '/api/management/v1/dashboards?limit=500';
  return `GET ${path} HTTP/1.1\r\nHost: gatehouse\r\n${authorization}\r\n`;
}

/** A request for a token with a wrong secret, or a small read. */
function cheap(authorization: string): string {
  if (authorization !== '') return get(authorization);
  const body = '{"projectId":"p_none","projectSecret":"wrong"}';
  return `${post('')}Content-Length: ${body.length}\r\n\r\n${body}`;
}

/** Ways to hold a connection, each tried with and without a token. */
export const ATTACKS: readonly Attack[] = [
  { name: 'connections that send nothing', head: () => '', isEnded: true },
  {
    name: 'headers that never end',
    head: (authorization) => `GET / HTTP/1.1\r\nHost: gatehouse\r\n${authorization}X-Slow: `,
    drip: 'a',
    isEnded: true,
  },
  {
    name: 'bodies that come by the byte',
    head: (authorization) => `${post(authorization)}Content-Length: 100000\r\n\r\n{`,
    drip: ' ',
    isEnded: true,
  },
  {
    name: 'chunked bodies that never end',
    head: (authorization) => `${post(authorization)}Transfer-Encoding: chunked\r\n\r\n5\r\n{ `,
    isEnded: true,
  },
  {
    name: 'bodies that are announced, allowed and never sent',
    head: (authorization) => `${post(authorization)}Content-Length: 100\r\nExpect: 100-continue\r\n\r\n`,
    isEnded: true,
  },
  {
    name: 'connections half-closed within a body',
    head: (authorization) => `${post(authorization)}Content-Length: 100\r\n\r\n{`,
    isHalfClosed: true,
    isEnded: true,
  },
  { name: 'requests in a pipeline', head: (authorization) => cheap(authorization).repeat(PIPELINED) },
  {
    name: 'large responses that are never read',
    head: (authorization) => get(authorization).repeat(PIPELINED),
    isDeaf: true,
  },
];

/** Connections of an attack that is under way. */
export class RunningAttack implements AsyncDisposable {
  readonly #attack: Attack;
  readonly #sockets: Socket[] = [];
  readonly #timer: NodeJS.Timeout;
  #closed = 0;

  constructor(attack: Attack, { port, connections, authorization }: AttackSize) {
    this.#attack = attack;
    for (let count = 0; count < connections; count += 1) this.#sockets.push(this.#open(port, authorization));
    this.#timer = setInterval(() => this.#drip(), 500);
  }

  /** Connections that are open on both sides. */
  get open(): number {
    return this.#sockets.length - this.#closed;
  }

  /** Resolves once the gateway has ended every connection; false when it has not in time. */
  async isEnded(timeoutMs: number): Promise<boolean> {
    const deadlineMs = performance.now() + timeoutMs;
    while (this.open > 0 && performance.now() < deadlineMs) await sleep(50);
    return this.open === 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket.destroy();
  }

  #open(port: number, authorization: string): Socket {
    const { head, isDeaf, isHalfClosed } = this.#attack;
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => {});
    // Ends its own side only once it may write no more: an attacker would not even do that.
    socket.once('close', () => (this.#closed += 1)).once('end', () => socket.end());
    if (isDeaf) socket.pause();
    else socket.resume();
    socket.write(head(authorization));
    if (isHalfClosed) socket.end();
    return socket;
  }

  #drip(): void {
    const { drip } = this.#attack;
    if (drip === undefined) return;
    for (const socket of this.#sockets) if (socket.writable) socket.write(drip);
  }
}

export interface AttackSize {
  port: number;
  connections: number;
  /** A line of the head with a token; empty without one. */
  authorization: string;
}
