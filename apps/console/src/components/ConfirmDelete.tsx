import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { shorten } from '../logic/shorten.js';
import { ErrorNotice } from './ErrorNotice.js';

interface Props {
  /** The name of what is deleted; it must be typed if `mustType`. */
  name: string;
  /** The verb of the button and the title. */
  verb?: string;
  isOpen: boolean;
  mustType?: boolean;
  /** What happens to what depends on it. */
  children?: ReactNode;
  onConfirm(): Promise<unknown>;
  onClose(): void;
}

/** Requests a confirmation before something that cannot be undone, and shows why it failed. */
export function ConfirmDelete({
  name,
  verb = 'Delete',
  isOpen,
  mustType,
  children,
  onConfirm,
  onClose,
}: Props) {
  const [typed, setTyped] = useState('');
  const [state, setState] = useState<{ isRunning: boolean; error: unknown }>({
    isRunning: false,
    error: null,
  });
  const close = () => {
    setTyped('');
    setState({ isRunning: false, error: null });
    onClose();
  };
  const confirm = () => {
    setState({ isRunning: true, error: null });
    onConfirm().then(close, (error: unknown) => setState({ isRunning: false, error }));
  };
  const isBlocked = mustType === true && typed.trim() !== name.trim();
  return (
    <Modal opened={isOpen} onClose={close} title={`${verb} ${shorten(name)}?`} centered>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBlocked) confirm();
        }}
      >
        <Stack>
          {children !== undefined && (
            <Text size="sm" component="div">
              {children}
            </Text>
          )}
          {mustType && (
            <TextInput
              label="Type the name to confirm"
              description={shorten(name)}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              data-autofocus
            />
          )}
          {state.error !== null && <ErrorNotice error={state.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus={mustType ? undefined : true}>
              Cancel
            </Button>
            <Button type="submit" color="red" loading={state.isRunning} disabled={isBlocked}>
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
