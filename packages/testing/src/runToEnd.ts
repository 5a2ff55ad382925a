/** Runs a generator to its end at once. A service runs it in slices, while it serves other calls. */
export function runToEnd<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
