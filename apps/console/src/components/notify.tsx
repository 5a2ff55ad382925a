import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { randomKey } from '../data/randomKey.js';
import { describeError } from './describeError.js';

const UNDO_MS = 10_000;

/** Reports that something was done. */
export function notifyDone(message: string): void {
  notifications.show({ message, color: 'teal' });
}

/** Reports that something failed which no form shows. */
export function notifyError(error: unknown, title = 'This did not work'): void {
  const { message, requestId } = describeError(error);
  const text = requestId === null ? message : `${message} (request ${requestId})`;
  notifications.show({ title, message: text, color: 'red', autoClose: false });
}

/** Reports that something was done, and offers to undo it. */
export function notifyUndo(message: string, undo: () => Promise<unknown>): void {
  const id = randomKey();
  const run = () => {
    notifications.hide(id);
    undo().then(
      () => notifyDone('Undone'),
      (error: unknown) => notifyError(error, 'It could not be undone'),
    );
  };
  notifications.show({
    id,
    color: 'teal',
    autoClose: UNDO_MS,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{message}</Text>
        <Button size="compact-xs" variant="light" onClick={run}>
          Undo
        </Button>
      </Group>
    ),
  });
}
