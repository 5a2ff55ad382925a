import { NewRecord } from '../../components/NewRecord.js';
import { useSession } from '../../session/SessionContext.js';
import { NEW_WEBHOOK, toBody, webhookFields } from './fields.js';

/** The form of a new webhook, whose secret is shown once. */
export function NewWebhook() {
  const { projects } = useSession();
  return (
    <NewRecord
      noun="webhook"
      parent={{ title: 'Webhooks', to: '/webhooks' }}
      fields={webhookFields(projects)}
      initial={NEW_WEBHOOK}
      create={async (api, values) => {
        const body = toBody(values) as { url: string; eventTypes: string[] };
        return (await api.createWebhook(body)).webhook;
      }}
      outdates={['webhooks', 'home']}
    />
  );
}
