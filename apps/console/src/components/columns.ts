import type { ReactNode } from 'react';

/** A column of a table of records. */
export interface Column<T> {
  id: string;
  header: string;
  /** A track of a CSS grid; by default an equal share. */
  width?: string;
  render(item: T): ReactNode;
  /** The content in an exported file; columns without are not exported. */
  text?(item: T): string;
  /** The id of the person that the column shows. An exported file has the name. */
  person?(item: T): string;
  /** What the server sorts by; columns without are not sortable. */
  sortKey?: string;
  /** Whether its header is for assistive technology only, as of a column of buttons. */
  isHeaderHidden?: boolean;
  /** Whether it is left out on a phone. */
  isWide?: boolean;
}
