import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { Icon } from './Icon.js';
import { IdCopy } from './IdCopy.js';

interface Props {
  /** Null closes the dialog. */
  secret: string | null;
  noun: string;
  onClose(): void;
}

/** Shows a secret, which only the response that created it contains. It is kept nowhere. */
export function SecretDialog({ secret, noun, onClose }: Props) {
  return (
    <Modal
      opened={secret !== null}
      onClose={onClose}
      title={`The secret of the ${noun}`}
      closeOnClickOutside={false}
      centered
      size="lg"
    >
      <Stack>
        <Alert color="yellow" icon={<Icon name="warning" size={20} />}>
          This secret is shown once. Store it now; it cannot be shown again, only rotated.
        </Alert>
        <Text component="div">{secret !== null && <IdCopy value={secret} label="the secret" isFirst />}</Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>I stored it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
