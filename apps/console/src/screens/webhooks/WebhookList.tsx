import type { Webhook } from '@gatehouse/contract';
import { Anchor, Badge, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Column } from '../../components/columns.js';
import { EmptyState } from '../../components/EmptyState.js';
import { ExportButton } from '../../components/ExportButton.js';
import { Icon } from '../../components/Icon.js';
import { ListToolbar } from '../../components/ListToolbar.js';
import { PageHeader } from '../../components/PageHeader.js';
import { RecordTable } from '../../components/RecordTable.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { countOf, useList } from '../../data/useList.js';
import { useUrlState } from '../../data/urlState.js';
import { webhookSource } from './sources.js';
import { stateOf } from './texts.js';

const columns: readonly Column<Webhook>[] = [
  {
    id: 'url',
    header: 'Webhook',
    width: 'minmax(0, 2.4fr)',
    text: ({ url }) => url,
    render: ({ id, url, description }) => (
      <Anchor
        component={Link}
        to={`/webhooks/${id}`}
        size="sm"
        fw={500}
        c="var(--mantine-color-text)"
        dir="auto"
        title={url}
      >
        {description === '' ? url : description}
      </Anchor>
    ),
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
  const source = webhookSource(search);
  const list = useList(source);
  const create = (
    <Button component={Link} to="/webhooks/new" leftSection={<Icon name="plus" />}>
      New webhook
    </Button>
  );
  return (
    <>
      <PageHeader title="Webhooks" actions={create} />
      <ListToolbar
        searchLabel="Search webhooks"
        count={countOf(list)}
        actions={<ExportButton source={source} columns={columns} fileName="webhooks" />}
      />
      <RecordTable
        label="Webhooks"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={
          search === '' ? (
            <EmptyState icon="webhook" title="No webhooks yet" action={create}>
              A webhook sends the events that you choose to your server, signed and with retries.
            </EmptyState>
          ) : (
            <EmptyState icon="search" title="No webhook matches">
              Change the search.
            </EmptyState>
          )
        }
      />
    </>
  );
}
