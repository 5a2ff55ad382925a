import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import type { UrlState } from '../data/urlState.js';

/** Names of the address whose change replaces the form; others, such as filters, keep it. */
const REPLACING = ['tab', 'project', 'connection', 'definition', 'dashboard', 'target', 'test'];

interface Address {
  pathname: string;
  search: object;
}

function isReplaced(current: Address, next: Address, names: readonly string[]): boolean {
  const [former, later] = [current.search as UrlState, next.search as UrlState];
  return current.pathname !== next.pathname || names.some((name) => former[name] !== later[name]);
}

interface Props {
  isDirty: boolean;
  /** The name of the address that keeps the dialog of the form open. */
  openedBy?: string;
}

/** Stops a navigation, or the closing of the tab or the dialog, while there are unsaved changes. */
export function UnsavedGuard({ isDirty, openedBy }: Props) {
  const names = openedBy === undefined ? REPLACING : [...REPLACING, openedBy];
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && isReplaced(current, next, names),
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  // Mounted only then: it would take the Escape that closes a dialog as an answer.
  if (status !== 'blocked') return null;
  return (
    <Modal opened onClose={() => reset?.()} title="Discard unsaved changes?" centered>
      <Stack>
        <Text size="sm">You have changes on this page that are not saved.</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => reset?.()} data-autofocus>
            Keep editing
          </Button>
          <Button color="red" onClick={() => proceed?.()}>
            Discard
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
