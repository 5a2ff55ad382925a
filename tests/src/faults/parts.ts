/** Things that are disposed of together, the latest first. Node 20 has no AsyncDisposableStack. */
export class Parts implements AsyncDisposable {
  readonly #parts: AsyncDisposable[] = [];

  add<T extends AsyncDisposable>(part: T): T {
    this.#parts.push(part);
    return part;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const part of this.#parts.splice(0).toReversed()) await part[Symbol.asyncDispose]();
  }
}
