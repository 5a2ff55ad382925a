/** How long records are collected before they are shown, in milliseconds. */
const PART_MS = 100;

/**
 * Joins the items that arrive within a tenth of a second, so that a screen is drawn for each part and not for
 * each item. A consumer that leaves early ends the source as well.
 *
 * @throws what the source throws, after the items that arrived before
 */
export async function* inParts<T>(source: AsyncIterable<T>): AsyncGenerator<T[]> {
  const state: { arrived: T[]; isLeft: boolean; end: { error?: unknown } | null } = {
    arrived: [],
    isLeft: false,
    end: null,
  };
  const read = async () => {
    for await (const item of source) {
      if (state.isLeft) return;
      state.arrived.push(item);
    }
  };
  const reading = read().then(
    () => (state.end = {}),
    (error: unknown) => (state.end = { error }),
  );
  try {
    while (state.end === null) {
      await Promise.race([reading, new Promise((resolve) => setTimeout(resolve, PART_MS))]);
      const part = state.arrived;
      state.arrived = [];
      if (part.length > 0) yield part;
    }
  } finally {
    state.isLeft = true;
  }
  if ('error' in state.end) throw state.end.error;
}
