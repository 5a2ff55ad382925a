import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { UrlState } from '../data/urlState.js';

interface Props {
  to: string;
  name: string;
  /** The query of the address, such as a tab. */
  search?: UrlState;
}

/** The name of a record in a table, which opens it. */
export function NameLink({ to, name, search = {} }: Props) {
  return (
    <Anchor
      component={Link}
      to={to}
      search={search as never}
      size="sm"
      fw={500}
      c="var(--mantine-color-text)"
      dir="auto"
    >
      {name}
    </Anchor>
  );
}
