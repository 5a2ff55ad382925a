import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { FormValues } from '../../components/fields.js';
import { Page } from '../../components/Page.js';
import { PageHeader } from '../../components/PageHeader.js';
import { RecordForm } from '../../components/RecordForm.js';
import { SecretDialog } from '../../components/SecretDialog.js';
import { useApi } from '../../data/api.js';
import { useCache } from '../../data/useRecord.js';
import { useSession } from '../../session/SessionContext.js';
import { NEW_WEBHOOK, toBody, webhookFields } from './fields.js';

/** The form of a new webhook, whose secret is shown once. */
export function NewWebhook() {
  const api = useApi();
  const cache = useCache();
  const navigate = useNavigate();
  const { projects } = useSession();
  const [created, setCreated] = useState<{ id: string; secret: string } | null>(null);
  const create = async (values: FormValues) => {
    const body = toBody(values) as { url: string; eventTypes: string[] };
    const { webhook } = await api.createWebhook(body);
    await cache.outdate('webhooks', 'home');
    setCreated(webhook);
  };
  const close = () => {
    if (created !== null) void navigate({ to: `/webhooks/${created.id}` });
    setCreated(null);
  };
  return (
    <>
      <PageHeader title="New webhook" path={[{ title: 'Webhooks', to: '/webhooks' }]} />
      <Page>
        <RecordForm
          fields={webhookFields(projects)}
          saved={NEW_WEBHOOK}
          isNew
          submitLabel="Create the webhook"
          onSubmit={create}
          onCancel={() => void navigate({ to: '/webhooks' })}
        />
      </Page>
      <SecretDialog secret={created?.secret ?? null} noun="webhook" onClose={close} />
    </>
  );
}
