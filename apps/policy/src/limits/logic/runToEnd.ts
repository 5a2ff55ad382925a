/** Runs a generator to its end at once. `runInSlices` does so while others run. */
export function runToEnd<T>(steps: Generator<unknown, T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
