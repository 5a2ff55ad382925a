import { useMemo, useState } from 'react';

/** The selected rows of a table, by id. */
export interface Selection {
  ids: ReadonlySet<string>;
  toggle(id: string): void;
  set(ids: readonly string[]): void;
}

/** Creates an empty selection. */
export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  return useMemo(
    () => ({
      ids,
      set: (next) => setIds(new Set(next)),
      toggle: (id) =>
        setIds((former) => {
          const next = new Set(former);
          if (!next.delete(id)) next.add(id);
          return next;
        }),
    }),
    [ids],
  );
}
