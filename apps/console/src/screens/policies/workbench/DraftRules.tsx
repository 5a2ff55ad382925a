import type { DefinitionItem, LintWarning, RlsConfig } from '@gatehouse/contract';
import { useEffect, useMemo, useState } from 'react';
import { EditRecord } from '../../../components/EditRecord.js';
import type { ControlProps, Field, FormValues } from '../../../components/fields.js';
import { RecordForm } from '../../../components/RecordForm.js';
import { useApi, type Api } from '../../../data/api.js';
import { useCache, type Versioned } from '../../../data/useRecord.js';
import { useSession } from '../../../session/SessionContext.js';
import { NAME, RUN_TESTS } from '../definitionFields.js';
import { saveDefinition } from '../DefinitionDetail.js';
import { RulesField } from '../rules/RulesField.js';
import { definitionOf } from '../sources.js';

interface Props {
  connectionId: string;
  warnings: readonly LintWarning[];
  /** Receives the rules whenever they change. */
  onDraft(rules: RlsConfig | null): void;
}

function useDraftField({ connectionId, warnings, onDraft }: Props): Field {
  return useMemo(
    () => ({
      name: 'rlsConfig',
      label: 'Row rules',
      kind: 'custom',
      render: (control) => (
        <Draft {...control} connectionId={connectionId} warnings={warnings} onDraft={onDraft} />
      ),
    }),
    [connectionId, warnings, onDraft],
  );
}

function Draft({ value, error, faults, isDisabled, onChange, onDraft, ...shared }: ControlProps & Props) {
  const rules = value as RlsConfig | null;
  useEffect(() => onDraft(rules), [rules, onDraft]);
  return (
    <RulesField
      connectionId={shared.connectionId}
      warnings={shared.warnings}
      value={rules}
      error={error}
      faults={faults}
      isDisabled={isDisabled}
      onChange={onChange}
    />
  );
}

function draftValues({ definition }: DefinitionItem): FormValues {
  return { rlsConfig: definition.rlsConfig, runTests: false };
}

/** The rules of a stored definition, as a draft until they are saved. */
export function StoredDraft({ current, ...props }: Props & { current: Versioned<DefinitionItem> }) {
  const { project } = useSession();
  const { id } = current.record.definition;
  const field = useDraftField(props);
  return (
    <EditRecord
      key={id}
      source={definitionOf(project.id, id)}
      current={current}
      fields={[field, RUN_TESTS]}
      toValues={draftValues}
      save={(api, changes, etag) =>
        saveDefinition(api, { projectId: project.id, definitionId: id, changes }, etag)
      }
      outdates={['definitions', 'coverage']}
    />
  );
}

/** Rules of no definition yet, which a new one can be made of. */
export function NewDraft({ onCreate, ...props }: Props & { onCreate(definitionId: string): void }) {
  const api = useApi();
  const cache = useCache();
  const { project } = useSession();
  const field = useDraftField(props);
  const [saved] = useState<FormValues>({ rlsConfig: null, name: '' });
  const create = async ({ name, rlsConfig }: FormValues) => {
    const input = { projectId: project.id, connectionId: props.connectionId, name, rlsConfig };
    const { data } = await api.createPolicyDefinition(input as Parameters<Api['createPolicyDefinition']>[0]);
    await cache.outdate('definitions');
    onCreate(data.definition.id);
  };
  return (
    <RecordForm
      fields={[field, { ...NAME, isShown: ({ rlsConfig }) => rlsConfig !== null }]}
      saved={saved}
      submitLabel="Create a definition of these rules"
      onSubmit={create}
    />
  );
}
