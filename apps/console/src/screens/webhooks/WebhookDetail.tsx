import type { Webhook } from '@gatehouse/contract';
import { Badge } from '@mantine/core';
import { RecordScreen } from '../../components/RecordScreen.js';
import { RecordSettings } from '../../components/RecordSettings.js';
import { useParam } from '../../data/useParam.js';
import { versioned, type Versioned } from '../../data/useRecord.js';
import { useSession } from '../../session/SessionContext.js';
import { Deliveries } from './Deliveries.js';
import { toBody, webhookFields, webhookValues } from './fields.js';
import { webhookRecord } from './sources.js';
import { nameOf, stateOf } from './texts.js';
import { WebhookActions } from './WebhookActions.js';

/** A webhook: its settings and its deliveries. */
export function WebhookDetail() {
  const id = useParam('id');
  return (
    <RecordScreen
      source={webhookRecord(id)}
      noun="webhook"
      parent={{ title: 'Webhooks', to: '/webhooks' }}
      titleOf={nameOf}
      badges={(webhook) => <Badge color={stateOf(webhook).color}>{stateOf(webhook).text}</Badge>}
      actions={(webhook) => <WebhookActions webhook={webhook} />}
      tabs={(current) => [
        { id: 'settings', title: 'Settings', content: () => <Settings current={current} /> },
        { id: 'deliveries', title: 'Deliveries', content: () => <Deliveries id={id} /> },
      ]}
    />
  );
}

function Settings({ current }: { current: Versioned<Webhook> }) {
  const { projects } = useSession();
  const { record } = current;
  return (
    <RecordSettings
      facts={[['Signature', 'Each request is signed with the secret']]}
      source={webhookRecord(record.id)}
      current={current}
      fields={webhookFields(projects)}
      toValues={webhookValues}
      save={async (api, changes, ifMatch) =>
        versioned(
          await api.withResponse.updateWebhook({ id: record.id, ...toBody(changes) }, { ifMatch }),
          ({ webhook }) => webhook,
        )
      }
      outdates={['webhooks', 'home']}
    />
  );
}
