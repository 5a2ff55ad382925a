import { useEffect, useMemo, useState } from 'react';
import { useUrlState } from '../data/urlState.js';

/** The selected rows of a table, by id. */
export interface Selection {
  ids: ReadonlySet<string>;
  toggle(id: string): void;
  set(ids: readonly string[]): void;
}

const NONE: ReadonlySet<string> = new Set();

/** Creates an empty selection. It becomes empty again when the search or a filter lists other records. */
export function useSelection(): Selection {
  const [ids, setIds] = useState(NONE);
  // A dialog over the list lists nothing else.
  const [{ dialog: _dialog, ...state }] = useUrlState();
  const listed = JSON.stringify(state);
  useEffect(() => setIds(NONE), [listed]);
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
