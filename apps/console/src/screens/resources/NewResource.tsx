import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { FormValues } from '../../components/fields.js';
import { Page } from '../../components/Page.js';
import { PageHeader } from '../../components/PageHeader.js';
import { RecordForm } from '../../components/RecordForm.js';
import { SecretDialog } from '../../components/SecretDialog.js';
import { useApi } from '../../data/api.js';
import { useCache } from '../../data/useRecord.js';
import { contentFields, describingFields } from './fields.js';
import type { Kind } from './kind.js';

const NEW: FormValues = { title: '', description: '', tags: [], isPrivate: false };

/** The form of a new dashboard or visual. */
export function NewResource({ kind }: { kind: Kind }) {
  const api = useApi();
  const cache = useCache();
  const navigate = useNavigate();
  const [created, setCreated] = useState<{ id: string; secret: string } | null>(null);
  const [saved] = useState(() => ({ ...NEW, [kind.content]: null }));
  const open = (id: string) => navigate({ to: `${kind.path}/${id}` });
  const create = async (values: FormValues) => {
    const given = Object.entries(values).filter(([, value]) => value !== null && value !== '');
    const { record, secret } = await kind.create(api, Object.fromEntries(given));
    await cache.outdate(`${kind.noun}s`);
    if (secret === null) await open(record.id);
    else setCreated({ id: record.id, secret });
  };
  const close = () => {
    if (created !== null) void open(created.id);
    setCreated(null);
  };
  const fields = [...describingFields(kind), ...contentFields(kind)];
  const unique = fields.filter(
    ({ name }, index) => fields.findLastIndex((field) => field.name === name) === index,
  );
  return (
    <>
      <PageHeader title={`New ${kind.noun}`} path={[{ title: kind.plural, to: kind.path }]} />
      <Page>
        <RecordForm
          fields={unique}
          saved={saved}
          isNew
          submitLabel={`Create the ${kind.noun}`}
          onSubmit={create}
          onCancel={() => void navigate({ to: kind.path })}
        />
      </Page>
      <SecretDialog secret={created?.secret ?? null} noun={kind.noun} onClose={close} />
    </>
  );
}
