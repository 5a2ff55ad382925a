/** Counts the turns of the event loop in which other work could run until the given work ends. */
export async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work().catch(() => {});
  isDone = true;
  return turns;
}
