import { Button, Group, Modal, Stack, Table, Text } from '@mantine/core';
import classes from './ConflictDialog.module.css';

/** A field of which two versions exist. */
export interface ConflictingField {
  label: string;
  mine: string;
  theirs: string;
}

interface Props {
  /** Null closes the dialog. */
  fields: readonly ConflictingField[] | null;
  onKeepMine(): void;
  onTakeTheirs(): void;
  onClose(): void;
}

/** Shows both versions of a record that another person changed in the meantime. */
export function ConflictDialog({ fields, onKeepMine, onTakeTheirs, onClose }: Props) {
  return (
    <Modal
      opened={fields !== null}
      onClose={onClose}
      title="This record was changed meanwhile"
      size="xl"
      centered
    >
      <Stack>
        <Text size="sm">
          Another person saved it after you opened it. Compare both versions, then keep one of them.
        </Text>
        <Table.ScrollContainer minWidth={420} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table aria-label="Both versions">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Field</Table.Th>
                <Table.Th>Your version</Table.Th>
                <Table.Th>Saved version</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {(fields ?? []).map(({ label, mine, theirs }) => (
                <Table.Tr key={label} data-differs={mine !== theirs || undefined} className={classes['row']}>
                  <Table.Th scope="row">{label}</Table.Th>
                  <Table.Td className={classes['value']}>{mine}</Table.Td>
                  <Table.Td className={classes['value']}>{theirs}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Continue editing
          </Button>
          <Button variant="default" onClick={onTakeTheirs}>
            Take the saved version
          </Button>
          <Button onClick={onKeepMine}>Overwrite with mine</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
