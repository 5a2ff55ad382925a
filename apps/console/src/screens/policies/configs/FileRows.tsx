import { TextInput } from '@mantine/core';
import { fileFaults, type FileRow } from '../../../logic/databasePolicy.js';
import classes from '../policies.module.css';
import { Rows } from '../values/Rows.js';
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
    <Rows
      noun="file"
      rows={files}
      isDisabled={isDisabled}
      align="labels"
      create={() => ({ name: '', path: '' })}
      onChange={onChange}
    >
      {(file, index, set) => (
        <>
          <TextInput
            className={classes['grow']}
            label="Name"
            error={faults[index]}
            maxLength={200}
            disabled={isDisabled}
            value={file.name}
            onChange={(event) => set({ ...file, name: event.currentTarget.value })}
          />
          <div className={classes['value']}>
            <TemplateField
              label="Path"
              placeholder="/data/{{ actor.tenantId }}/orders.parquet"
              error={faultOf(file.name)}
              isDisabled={isDisabled}
              names={names}
              value={file.path}
              onChange={(path) => set({ ...file, path })}
            />
          </div>
        </>
      )}
    </Rows>
  );
}
