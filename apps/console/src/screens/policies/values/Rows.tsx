import { ActionIcon, Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../../../components/Icon.js';
import classes from '../policies.module.css';

interface Props<T> {
  /** What a row is, in lower case. */
  noun: string;
  rows: readonly T[];
  isDisabled: boolean;
  /** Where the fields of a row are level: at their labels, or at their inputs. */
  align: 'labels' | 'inputs';
  /** A row to add. */
  create(): T;
  onChange(rows: T[]): void;
  /** The fields of a row. */
  children(row: T, index: number, set: (row: T) => void): ReactNode;
}

const LABEL_HEIGHT = 24;

/** Rows of fields that are added, changed and removed. */
export function Rows<T>({ noun, rows, isDisabled, align, create, onChange, children }: Props<T>) {
  return (
    <Stack gap="sm">
      {rows.map((row, index) => (
        <Group
          key={`row ${index}`}
          role="group"
          aria-label={`${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${index + 1}`}
          gap="sm"
          align={align === 'labels' ? 'flex-start' : 'flex-end'}
          className={classes['row']}
        >
          {children(row, index, (next) => onChange(rows.with(index, next)))}
          {!isDisabled && (
            <ActionIcon
              variant="default"
              size="lg"
              mt={align === 'labels' ? LABEL_HEIGHT : 0}
              aria-label={`Remove ${noun} ${index + 1}`}
              onClick={() => onChange(rows.toSpliced(index, 1))}
            >
              <Icon name="trash" />
            </ActionIcon>
          )}
        </Group>
      ))}
      {!isDisabled && (
        <Button
          variant="default"
          w="fit-content"
          leftSection={<Icon name="plus" />}
          onClick={() => onChange([...rows, create()])}
        >
          Add a {noun}
        </Button>
      )}
    </Stack>
  );
}
