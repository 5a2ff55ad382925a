const LENGTH_BYTES = 4;
/** The limit of PostgreSQL for a message before the authentication. */
const STARTUP_BYTES_MAX = 10_000;
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

/** Splits the bytes of a client into messages of PostgreSQL's wire protocol. */
export class FrameReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next message without a type, which is how a session begins; null at the end. */
  readStartup(): Promise<Buffer | null> {
    return this.#read(0, STARTUP_BYTES_MAX);
  }

  /** The next message, which begins with its type; null at the end. */
  readMessage(limit = MESSAGE_BYTES_MAX): Promise<Buffer | null> {
    return this.#read(1, limit);
  }

  /** The password of the client; null at the end. */
  async readPassword(): Promise<string | null> {
    const message = await this.readMessage(STARTUP_BYTES_MAX);
    return message === null ? null : message.subarray(1 + LENGTH_BYTES, -1).toString();
  }

  async #read(typeBytes: number, limit: number): Promise<Buffer | null> {
    const head = typeBytes + LENGTH_BYTES;
    if (!(await this.#fill(head))) return null;
    const length = typeBytes + this.#bytes.readInt32BE(typeBytes);
    if (length < head || length > limit) throw new RangeError(`A message has ${length} bytes`);
    if (!(await this.#fill(length))) return null;
    const message = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return message;
  }

  /** Returns false if the client ends before it has sent so many bytes. */
  async #fill(length: number): Promise<boolean> {
    const chunks = [this.#bytes];
    let size = this.#bytes.length;
    while (size < length) {
      const { value, done } = await this.#chunks.next();
      if (done) return false;
      chunks.push(value);
      size += value.length;
    }
    if (chunks.length > 1) this.#bytes = Buffer.concat(chunks);
    return true;
  }
}
