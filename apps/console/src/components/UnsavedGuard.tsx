import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';

/** Stops a navigation, or the closing of the tab, while there are unsaved changes. */
export function UnsavedGuard({ isDirty }: { isDirty: boolean }) {
  const { status, proceed, reset } = useBlocker({
    // A filter or a tab in the address of the same screen keeps the form.
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
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
