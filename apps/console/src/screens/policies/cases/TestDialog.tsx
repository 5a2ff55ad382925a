import type { PolicyTest } from '@gatehouse/contract';
import { Button, Group, Modal } from '@mantine/core';
import { useMemo, useState } from 'react';
import { ConfirmDelete } from '../../../components/ConfirmDelete.js';
import type { FormValues } from '../../../components/fields.js';
import { notifyDone } from '../../../components/notify.js';
import { RecordForm } from '../../../components/RecordForm.js';
import { useApi } from '../../../data/api.js';
import { useCache } from '../../../data/useRecord.js';
import { useSession } from '../../../session/SessionContext.js';
import { useCatalog } from '../rules/useCatalog.js';
import { newTest, testFields, testInput, testValues } from './testFields.js';

interface Props {
  definitionId: string;
  connectionId: string;
  /** Null for a new one. */
  test: PolicyTest | null;
  onClose(): void;
}

/** The form of a test. Tests have no entity tag: the last change of a field counts. */
export function TestDialog({ definitionId, connectionId, test, onClose }: Props) {
  const api = useApi();
  const cache = useCache();
  const { project } = useSession();
  const tables = useCatalog(connectionId);
  const fields = useMemo(() => testFields(tables), [tables]);
  const [saved] = useState(() => (test === null ? newTest : testValues(test)));
  const [isDeleting, setDeleting] = useState(false);
  const place = { projectId: project.id, definitionId };
  const submit = async (values: FormValues, changes: FormValues) => {
    const input = testInput(values);
    if (test === null) await api.createPolicyTest({ ...place, ...input });
    else await api.updatePolicyTest({ ...place, testId: test.id, ...changedOf(input, changes) });
    await cache.outdate('policyTests');
    notifyDone('Saved');
    onClose();
  };
  const remove = async (testId: string) => {
    await api.deletePolicyTest({ ...place, testId });
    await cache.outdate('policyTests');
    onClose();
  };
  return (
    <Modal opened onClose={onClose} title={test === null ? 'New test' : 'Test'} size="xl">
      <RecordForm
        fields={fields}
        saved={saved}
        isNew={test === null}
        submitLabel={test === null ? 'Create the test' : 'Save'}
        onSubmit={submit}
        onCancel={onClose}
      >
        {test !== null && (
          <Group>
            <Button variant="light" color="red" size="compact-sm" onClick={() => setDeleting(true)}>
              Delete the test
            </Button>
          </Group>
        )}
      </RecordForm>
      {test !== null && (
        <ConfirmDelete
          name={test.name}
          isOpen={isDeleting}
          onClose={() => setDeleting(false)}
          onConfirm={() => remove(test.id)}
        >
          This cannot be undone.
        </ConfirmDelete>
      )}
    </Modal>
  );
}

function changedOf(input: ReturnType<typeof testInput>, changes: FormValues) {
  const names = new Set(Object.keys(changes).map((name) => name.split('.')[0]));
  return Object.fromEntries(Object.entries(input).filter(([name]) => names.has(name)));
}
