import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';

interface Props<T> {
  items: readonly T[];
  /** How many are shown first, and added by each click. */
  step: number;
  children(items: readonly T[]): ReactNode;
}

/** The first items of a long list that is already there, and a button for more. */
export function ShowMore<T>({ items, step, children }: Props<T>) {
  const [count, setCount] = useState(step);
  const rest = items.length - count;
  return (
    <>
      {children(items.slice(0, count))}
      {rest > 0 && (
        <Button variant="subtle" size="compact-sm" mt="xs" onClick={() => setCount(count + step)}>
          Show {Math.min(step, rest)} more of {rest.toLocaleString('en')}
        </Button>
      )}
    </>
  );
}
