import type { PolicyTest } from '@gatehouse/contract';
import { Button, Group, Modal, Skeleton } from '@mantine/core';
import { useMemo, useState } from 'react';
import { ConfirmDelete } from '../../../components/ConfirmDelete.js';
import { EditRecord } from '../../../components/EditRecord.js';
import { ErrorNotice } from '../../../components/ErrorNotice.js';
import type { Field, FormValues } from '../../../components/fields.js';
import { notifyDone } from '../../../components/notify.js';
import { RecordForm } from '../../../components/RecordForm.js';
import { useApi, type Api } from '../../../data/api.js';
import { useCache, useRecord, versioned, type Versioned } from '../../../data/useRecord.js';
import { useSession } from '../../../session/SessionContext.js';
import { useCatalog } from '../rules/useCatalog.js';
import { testOf } from '../sources.js';
import { newTest, testFields, testInput, testValues } from './testFields.js';

interface Place {
  projectId: string;
  definitionId: string;
}

interface Props {
  definitionId: string;
  connectionId: string;
  /** Null for a new one. */
  testId: string | null;
  onClose(): void;
}

interface FormProps {
  place: Place;
  fields: readonly Field[];
  onClose(): void;
}

/** The form of a test. */
export function TestDialog({ definitionId, connectionId, testId, onClose }: Props) {
  const { project } = useSession();
  const tables = useCatalog(connectionId);
  const fields = useMemo(() => testFields(tables), [tables]);
  const form = { place: { projectId: project.id, definitionId }, fields, onClose };
  return (
    <Modal opened onClose={onClose} title={testId === null ? 'New test' : 'Test'} size="xl">
      {testId === null ? <NewTest {...form} /> : <SavedTest {...form} testId={testId} />}
    </Modal>
  );
}

function NewTest({ place, fields, onClose }: FormProps) {
  const api = useApi();
  const cache = useCache();
  const submit = async (values: FormValues) => {
    await api.createPolicyTest({ ...place, ...testInput(values) });
    await cache.outdate('policyTests');
    notifyDone('Saved');
    onClose();
  };
  return (
    <RecordForm
      fields={fields}
      saved={newTest}
      isNew
      submitLabel="Create the test"
      onSubmit={submit}
      onCancel={onClose}
    />
  );
}

function SavedTest({ testId, ...form }: FormProps & { testId: string }) {
  const { data, error, refetch } = useRecord(testOf(form.place, testId));
  if (data !== undefined) return <Edit {...form} current={data} />;
  if (error === null) return <Skeleton height={240} />;
  return <ErrorNotice error={error} title="The test could not be read" onRetry={() => void refetch()} />;
}

function Edit({ place, fields, onClose, current }: FormProps & { current: Versioned<PolicyTest> }) {
  const api = useApi();
  const cache = useCache();
  const [isDeleting, setDeleting] = useState(false);
  const { id, name } = current.record;
  const remove = async () => {
    await api.deletePolicyTest({ ...place, testId: id });
    await cache.outdate('policyTests');
    onClose();
  };
  return (
    <>
      <EditRecord
        source={testOf(place, id)}
        current={current}
        fields={fields}
        toValues={testValues}
        save={(each, changes, etag) => save(each, { place, test: current.record, changes }, etag)}
        outdates={['policyTests']}
        onClose={onClose}
      >
        <Group>
          <Button variant="light" color="red" size="compact-sm" onClick={() => setDeleting(true)}>
            Delete the test
          </Button>
        </Group>
      </EditRecord>
      <ConfirmDelete name={name} isOpen={isDeleting} onClose={() => setDeleting(false)} onConfirm={remove}>
        This cannot be undone.
      </ConfirmDelete>
    </>
  );
}

async function save(
  api: Api,
  { place, test, changes }: { place: Place; test: PolicyTest; changes: FormValues },
  ifMatch: string | undefined,
): Promise<Versioned<PolicyTest>> {
  // What is expected is one field of a request and several of the form.
  const names = new Set(Object.keys(changes).map((name) => name.split('.')[0]));
  const all = Object.entries(testInput({ ...testValues(test), ...changes }));
  const changed = Object.fromEntries(all.filter(([name]) => names.has(name)));
  return versioned(
    await api.withResponse.updatePolicyTest(
      { ...place, testId: test.id, ...changed },
      ifMatch === undefined ? {} : { ifMatch },
    ),
    ({ data }): PolicyTest => data.test,
  );
}
