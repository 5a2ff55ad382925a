import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A message that a raw client received. */
export interface RawMessage {
  subject: string;
  /** Where the sender expects the response; empty if it expects none. */
  reply: string;
  text: string;
}

const MESSAGE = /MSG (\S+) \S+ (?:(\S+) )?(\d+)\r\n/g;

/**
 * A client of nats-server that sends what no library would. Texts are ASCII. It uses NATS's own protocol:
 * https://docs.nats.io/reference/reference-protocols/nats-protocol
 */
export class RawNats {
  readonly #socket: Socket;
  #received = '';
  #subscriptions = 0;
  #pings = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.#received += text;
    });
  }

  /** Signs in as the user of the URL. */
  static async open(url: string): Promise<RawNats> {
    const { hostname, port, username, password } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const client = new RawNats(socket);
    client.#send(`CONNECT ${JSON.stringify({ verbose: false, user: username, pass: password })}`);
    await client.flush();
    return client;
  }

  /** All messages that have arrived. */
  get messages(): RawMessage[] {
    return [...this.#received.matchAll(MESSAGE)].map(
      ({ 0: head, 1: subject = '', 2: reply = '', 3: length, index }) => {
        const begin = index + head.length;
        return { subject, reply, text: this.#received.slice(begin, begin + Number(length)) };
      },
    );
  }

  publish(subject: string, text: string, reply = ''): void {
    this.#send(`PUB ${subject} ${reply} ${text.length}\r\n${text}`);
  }

  subscribe(subject: string): void {
    this.#subscriptions += 1;
    this.#send(`SUB ${subject} ${this.#subscriptions}`);
  }

  /** Resolves once the server has handled everything that was sent, and its messages have arrived. */
  async flush(): Promise<void> {
    this.#pings += 1;
    this.#send('PING');
    while (this.#received.split('PONG\r\n').length <= this.#pings) await sleep(5);
  }

  close(): void {
    this.#socket.destroy();
  }

  #send(line: string): void {
    this.#socket.write(`${line}\r\n`);
  }
}
