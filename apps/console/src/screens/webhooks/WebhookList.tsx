import type { Webhook } from '@gatehouse/contract';
import { Badge } from '@mantine/core';
import type { Column } from '../../components/columns.js';
import { ListScreen } from '../../components/ListScreen.js';
import { NameLink } from '../../components/NameLink.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { useUrlState } from '../../data/urlState.js';
import { webhookSource } from './sources.js';
import { nameOf, stateOf } from './texts.js';

const columns: readonly Column<Webhook>[] = [
  {
    id: 'url',
    header: 'Webhook',
    width: 'minmax(0, 2.4fr)',
    text: ({ url }) => url,
    render: (webhook) => <NameLink to={`/webhooks/${webhook.id}`} name={nameOf(webhook)} />,
  },
  {
    id: 'state',
    header: 'State',
    width: '8rem',
    text: (webhook) => stateOf(webhook).text,
    render: (webhook) => <Badge color={stateOf(webhook).color}>{stateOf(webhook).text}</Badge>,
  },
  {
    id: 'events',
    header: 'Event types',
    isWide: true,
    text: ({ eventTypes }) => eventTypes.join('; '),
    render: ({ eventTypes }) => eventTypes.join(', '),
  },
  {
    id: 'updated',
    header: 'Updated',
    width: '8.5rem',
    isWide: true,
    text: ({ updatedAt }) => updatedAt,
    render: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
  },
];

/** The webhooks of the organization. */
export function WebhookList() {
  const [{ search = '' }] = useUrlState();
  return (
    <ListScreen
      title="Webhooks"
      noun={['webhook', 'webhooks']}
      icon="webhook"
      source={webhookSource(search)}
      columns={columns}
      idOf={({ id }) => id}
      nameOf={nameOf}
      createPath="/webhooks/new"
      searchLabel="Search webhooks"
      isFiltered={search !== ''}
      removal={{
        remove: (api, { id }) => api.deleteWebhook({ id }),
        outdates: ['webhooks', 'home'],
        consequence: 'Their deliveries are deleted as well.',
      }}
      hint="A webhook sends the events that you choose to your server, signed and with retries."
    />
  );
}
