/** Lets tasks with the same key run one after the other, in the order in which they came. */
export interface Turns {
  /** Settles as the task does. */
  take<T>(key: string, task: () => Promise<T>): Promise<T>;
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return {
    async take(key, task) {
      const turn = (last.get(key) ?? Promise.resolve()).then(task, task);
      last.set(key, turn);
      try {
        return await turn;
      } finally {
        if (last.get(key) === turn) last.delete(key);
      }
    },
  };
}
