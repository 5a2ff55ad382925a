import { CloseButton, Group, Kbd, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback, useWindowEvent } from '@mantine/hooks';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useUrlState } from '../data/urlState.js';
import { Icon } from './Icon.js';
import classes from './ListToolbar.module.css';

const SEARCH_DELAY_MS = 200;

interface Props {
  /** The label of the search; without one there is none. */
  searchLabel?: string;
  /** Filters, after the search. */
  children?: ReactNode;
  /** The number of records found; null while it is unknown. */
  count?: string | null;
  actions?: ReactNode;
}

/** The search (`/` focuses it), the filters and the actions above a list. The address holds the search. */
export function ListToolbar({ searchLabel, children, count, actions }: Props) {
  return (
    <div className={classes['bar']}>
      {searchLabel !== undefined && <Search label={searchLabel} />}
      {children}
      <Group gap="sm" className={classes['end']} wrap="nowrap">
        {count !== undefined && count !== null && (
          <Text size="sm" c="dimmed" role="status">
            {count}
          </Text>
        )}
        {actions}
      </Group>
    </div>
  );
}

/** Whether an element takes text. An editor is in a shadow root, so the event has another target. */
function takesText(target: EventTarget | undefined): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

/** Calls a function when `/` is pressed outside of text and of dialogs. */
function useSlash(run: () => void): void {
  useWindowEvent('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (takesText(event.composedPath()[0]) || document.querySelector('[aria-modal="true"]')) return;
    event.preventDefault();
    run();
  });
}

function Search({ label }: { label: string }) {
  const [{ search = '' }, setState] = useUrlState();
  const [text, setText] = useState(search);
  const input = useRef<HTMLInputElement>(null);
  useSlash(() => input.current?.focus());
  const apply = useDebouncedCallback((value: string) => setState({ search: value }), SEARCH_DELAY_MS);
  // Back and forward change the address.
  useEffect(() => {
    if (document.activeElement !== input.current) setText(search);
  }, [search]);
  const change = (value: string) => {
    setText(value);
    apply(value.trim().slice(0, 200));
  };
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
