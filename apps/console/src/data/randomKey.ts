/** A random key. Not `crypto.randomUUID`, which is not available over plain HTTP from another machine. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), String).join('-');
}
