import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import type { UrlState } from '../data/urlState.js';

/** Names of the address whose change replaces the form; others, such as filters, keep it. */
const REPLACING = ['tab', 'project', 'connection', 'definition', 'dashboard', 'target', 'test'];

interface Address {
  pathname: string;
  search: object;
}

function isReplaced(current: Address, next: Address): boolean {
  const [former, later] = [current.search as UrlState, next.search as UrlState];
  return current.pathname !== next.pathname || REPLACING.some((name) => former[name] !== later[name]);
}

/** Stops a navigation, or the closing of the tab, while there are unsaved changes. */
export function UnsavedGuard({ isDirty }: { isDirty: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && isReplaced(current, next),
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return (
    <Modal opened={status === 'blocked'} onClose={() => reset?.()} title="Discard unsaved changes?" centered>
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
