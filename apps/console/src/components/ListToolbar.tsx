import { CloseButton, Group, Kbd, Text, TextInput } from '@mantine/core';
import { useRef, type ReactNode } from 'react';
import { useUrlText } from '../data/useUrlText.js';
import { Icon } from './Icon.js';
import classes from './ListToolbar.module.css';

interface Props {
  /** The label of the search; without one there is none. */
  searchLabel?: string;
  /** Filters, after the search. */
  children?: ReactNode;
  /** The number of records found; null while it is unknown. */
  count?: string | null;
  /** Whether the count still changes; only the last one is announced. */
  isCounting?: boolean;
  actions?: ReactNode;
}

/** The search, which `/` focuses, the filters and the actions above a list. The address holds the search. */
export function ListToolbar({ searchLabel, children, count, isCounting = false, actions }: Props) {
  return (
    <div className={classes['bar']}>
      {searchLabel !== undefined && <Search label={searchLabel} />}
      {children}
      <Group gap="sm" className={classes['end']}>
        {count !== undefined && count !== null && (
          <Text size="sm" c="dimmed" role="status" aria-busy={isCounting}>
            {count}
          </Text>
        )}
        {actions}
      </Group>
    </div>
  );
}

function Search({ label }: { label: string }) {
  const [text, change] = useUrlText('search');
  const input = useRef<HTMLInputElement>(null);
  const clear = (
    <CloseButton
      size="sm"
      aria-label="Clear the search"
      onClick={() => {
        change('');
        input.current?.focus();
      }}
    />
  );
  return (
    <TextInput
      ref={input}
      data-search
      className={classes['search']}
      aria-label={label}
      placeholder={label}
      size="sm"
      leftSection={<Icon name="search" />}
      rightSection={text === '' ? <Kbd size="xs">/</Kbd> : clear}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
