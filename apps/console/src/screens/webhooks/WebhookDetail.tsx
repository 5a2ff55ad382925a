import type { Webhook } from '@gatehouse/contract';
import { Badge, Text } from '@mantine/core';
import { EditRecord } from '../../components/EditRecord.js';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import { IdCopy } from '../../components/IdCopy.js';
import { Facts, Page } from '../../components/Page.js';
import { PageHeader } from '../../components/PageHeader.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { TabBar } from '../../components/TabBar.js';
import { useParam } from '../../data/useParam.js';
import { useRecord, versioned, type Versioned } from '../../data/useRecord.js';
import { useSession } from '../../session/SessionContext.js';
import { Opening } from '../../shell/Opening.js';
import { Deliveries } from './Deliveries.js';
import { toBody, webhookFields, webhookValues } from './fields.js';
import { webhookRecord } from './sources.js';
import { stateOf } from './texts.js';
import { WebhookActions } from './WebhookActions.js';

const path = [{ title: 'Webhooks', to: '/webhooks' }];

/** A webhook: its settings and its deliveries. */
export function WebhookDetail() {
  const id = useParam('id');
  const { data, error, refetch } = useRecord(webhookRecord(id));
  if (error !== null && data === undefined)
    return (
      <>
        <PageHeader title="This webhook cannot be opened" path={path} />
        <Page>
          <ErrorNotice error={error} title="It could not be read" onRetry={() => void refetch()} />
        </Page>
      </>
    );
  if (data === undefined) return <Opening />;
  const { record } = data;
  const state = stateOf(record);
  return (
    <>
      <PageHeader
        title={record.description === '' ? record.url : record.description}
        path={path}
        badges={<Badge color={state.color}>{state.text}</Badge>}
        actions={<WebhookActions webhook={record} />}
      />
      <TabBar
        label="Parts of the webhook"
        tabs={[
          { id: 'settings', title: 'Settings', content: () => <Settings key="settings" current={data} /> },
          { id: 'deliveries', title: 'Deliveries', content: () => <Deliveries key="deliveries" id={id} /> },
        ]}
      />
    </>
  );
}

function Settings({ current }: { current: Versioned<Webhook> }) {
  const { projects } = useSession();
  const { record } = current;
  const aside = (
    <>
      <Facts
        facts={[
          ['Created', <RelativeTime key="created" at={record.createdAt} />],
          ['Updated', <RelativeTime key="updated" at={record.updatedAt} />],
          ['Version', String(record.version)],
          ['Id', <IdCopy key="id" value={record.id} />],
        ]}
      />
      <Text size="xs" c="dimmed" mt="md">
        Each request is signed with the secret of the webhook.
      </Text>
    </>
  );
  return (
    <Page aside={aside}>
      <EditRecord
        key={record.id}
        source={webhookRecord(record.id)}
        current={current}
        fields={webhookFields(projects)}
        toValues={webhookValues}
        save={async (api, changes, ifMatch) =>
          versioned(
            await api.withResponse.updateWebhook(
              { id: record.id, ...toBody(changes) },
              ifMatch === undefined ? {} : { ifMatch },
            ),
            ({ webhook }) => webhook,
          )
        }
        outdates={['webhooks', 'home']}
      />
    </Page>
  );
}
