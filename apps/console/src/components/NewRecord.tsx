import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi, type Api } from '../data/api.js';
import { useCache } from '../data/useRecord.js';
import type { Field, FormValues } from './fields.js';
import { Page } from './Page.js';
import { PageHeader } from './PageHeader.js';
import { RecordForm } from './RecordForm.js';
import { SecretDialog } from './SecretDialog.js';

interface Props {
  noun: string;
  parent: { title: string; to: string };
  fields: readonly Field[];
  initial: FormValues;
  /** Creates it; a secret of the response is shown once. Empty values are left out. */
  create(api: Api, values: FormValues): Promise<{ id: string; secret?: string | null }>;
  /** The address of the new record; by default below the list. */
  pathOf?(id: string): string;
  /** The names of lists to read again. */
  outdates: readonly string[];
}

/** The form of a new record, which opens the record once it exists. */
export function NewRecord({ noun, parent, fields, initial, create, pathOf, outdates }: Props) {
  const api = useApi();
  const cache = useCache();
  const navigate = useNavigate();
  const [saved] = useState(initial);
  const [created, setCreated] = useState<{ id: string; secret: string } | null>(null);
  const open = (id: string) => navigate({ to: pathOf?.(id) ?? `${parent.to}/${id}` });
  const submit = async (values: FormValues) => {
    const given = Object.entries(values).filter(([, value]) => value !== null && value !== '');
    const { id, secret } = await create(api, Object.fromEntries(given));
    // Not awaited: a list that cannot be read must not keep back a secret that is shown once.
    void cache.outdate(...outdates);
    if (secret === null || secret === undefined) await open(id);
    else setCreated({ id, secret });
  };
  const close = () => {
    if (created !== null) void open(created.id);
    setCreated(null);
  };
  return (
    <>
      <PageHeader title={`New ${noun}`} path={[parent]} />
      <Page>
        <RecordForm
          fields={fields}
          saved={saved}
          isNew
          submitLabel={`Create the ${noun}`}
          onSubmit={submit}
          onCancel={() => void navigate({ to: parent.to })}
        />
      </Page>
      <SecretDialog secret={created?.secret ?? null} noun={noun} onClose={close} />
    </>
  );
}
