import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';

/** The name of a record in a table, which opens it. */
export function NameLink({ to, name }: { to: string; name: string }) {
  return (
    <Anchor component={Link} to={to} size="sm" fw={500} c="var(--mantine-color-text)" dir="auto">
      {name}
    </Anchor>
  );
}
