import { ActionIcon, Button, Group, Stack, TextInput } from '@mantine/core';
import { Icon } from '../../../components/Icon.js';
import { fileFaults, type FileRow } from '../../../logic/databasePolicy.js';
import classes from '../policies.module.css';
import { TemplateField } from './TemplateField.js';

interface Props {
  files: readonly FileRow[];
  /** The names of values that a path can use. */
  names: readonly string[];
  faultOf(name: string): string | undefined;
  isDisabled: boolean;
  onChange(files: FileRow[]): void;
}

/** The files that queries go to, by the names that the query service knows them by. */
export function FileRows({ files, names, faultOf, isDisabled, onChange }: Props) {
  const faults = fileFaults(files);
  return (
    <Stack gap="sm">
      {files.map((file, index) => (
        <Group
          key={`file ${index}`}
          role="group"
          aria-label={`File ${index + 1}`}
          gap="sm"
          align="flex-start"
          className={classes['row']}
        >
          <TextInput
            className={classes['grow']}
            label="Name"
            error={faults[index]}
            maxLength={200}
            disabled={isDisabled}
            value={file.name}
            onChange={(event) => onChange(files.with(index, { ...file, name: event.currentTarget.value }))}
          />
          <div className={classes['value']}>
            <TemplateField
              label="Path"
              placeholder="/data/{{ actor.tenantId }}/orders.parquet"
              error={faultOf(file.name)}
              isDisabled={isDisabled}
              names={names}
              value={file.path}
              onChange={(path) => onChange(files.with(index, { ...file, path }))}
            />
          </div>
          {!isDisabled && (
            <ActionIcon
              variant="default"
              size="lg"
              mt={24}
              aria-label={`Remove file ${index + 1}`}
              onClick={() => onChange(files.toSpliced(index, 1))}
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
          onClick={() => onChange([...files, { name: '', path: '' }])}
        >
          Add a file
        </Button>
      )}
    </Stack>
  );
}
