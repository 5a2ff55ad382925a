import { Select } from '@mantine/core';
import { Picker } from '../../components/Picker.js';
import { connectionSource } from '../../data/choices.js';
import { useConnectionName } from '../../data/useConnectionName.js';
import { useRecord } from '../../data/useRecord.js';
import { useUrlState } from '../../data/urlState.js';
import { useSession } from '../../session/SessionContext.js';
import { kindOptions } from './actors.js';
import { definitionChoices, definitionOf } from './sources.js';
import classes from './policies.module.css';

/** The filters of definitions and of assignments, in the address. */
export function PolicyFilters({ hasDefinition = false }: { hasDefinition?: boolean }) {
  const [{ connection, kind }, setState] = useUrlState();
  const name = useConnectionName(connection);
  return (
    <>
      {hasDefinition && <DefinitionFilter />}
      <div className={classes['filter']}>
        <Picker
          label="Connection"
          placeholder="All connections"
          value={connection === undefined ? null : { id: connection, name }}
          onChange={(choice) => setState({ connection: choice?.id })}
          source={connectionSource}
        />
      </div>
      <Select
        aria-label="Kind of actor"
        placeholder="Kind of actor"
        w={150}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear the kind of actor' }}
        data={kindOptions}
        value={kind ?? null}
        onChange={(value) => setState({ kind: value ?? undefined })}
      />
    </>
  );
}

function DefinitionFilter() {
  const [{ definition, connection }, setState] = useUrlState();
  const { project } = useSession();
  const { data } = useRecord(definitionOf(project.id, definition ?? ''), {
    isEnabled: definition !== undefined,
  });
  const name = data?.record.definition.name ?? definition ?? '';
  return (
    <div className={classes['filter']}>
      <Picker
        label="Definition"
        placeholder="All definitions"
        value={definition === undefined ? null : { id: definition, name }}
        onChange={(choice) => setState({ definition: choice?.id })}
        source={definitionChoices(project.id, connection)}
      />
    </div>
  );
}
