import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Selection } from './selection.js';
import classes from './BulkBar.module.css';

/** The actions on the selected rows. */
export function BulkBar({ selection, children }: { selection: Selection; children: ReactNode }) {
  if (selection.ids.size === 0) return null;
  return (
    <Group className={classes['bar']} role="region" aria-label="Actions on the selection" gap="sm">
      <Text size="sm" fw={500}>
        {selection.ids.size} selected
      </Text>
      {children}
      <Button size="compact-sm" variant="subtle" color="gray" onClick={() => selection.set([])}>
        Clear
      </Button>
    </Group>
  );
}
