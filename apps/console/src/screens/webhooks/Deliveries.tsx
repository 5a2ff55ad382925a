import type { WebhookDelivery } from '@gatehouse/contract';
import { Badge, Box, Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import type { Column } from '../../components/columns.js';
import { EmptyState } from '../../components/EmptyState.js';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import { ExportButton } from '../../components/ExportButton.js';
import { ListToolbar } from '../../components/ListToolbar.js';
import { notifyDone } from '../../components/notify.js';
import { RecordTable } from '../../components/RecordTable.js';
import { RowButton } from '../../components/RowButton.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { UnsavedGuard } from '../../components/UnsavedGuard.js';
import { countOf, useList } from '../../data/useList.js';
import { useChange } from '../../data/useRecord.js';
import { useUrlState } from '../../data/urlState.js';
import { describeEvent } from '../../logic/eventNames.js';
import { localInputValue } from '../../logic/times.js';
import { DeliveryDrawer } from './DeliveryDrawer.js';
import { DELIVERY_STATUSES, deliverySource } from './sources.js';
import { describeAttempt, STATUS_COLORS, STATUS_TEXTS } from './texts.js';

const DAY_MS = 86_400_000;
/** The value of `dialog` in the address while failed deliveries are replayed. */
const REPLAY = 'replay';

function lastAttemptOf({ attempts }: WebhookDelivery): string {
  const last = attempts.at(-1);
  return last === undefined ? 'None yet' : describeAttempt(last);
}

function columnsOf(open: (id: string) => void): Column<WebhookDelivery>[] {
  return [
    {
      id: 'event',
      header: 'Event',
      width: 'minmax(0, 1.5fr)',
      text: ({ eventType }) => eventType,
      render: ({ id, eventType }) => (
        <RowButton title={eventType} onClick={() => open(id)}>
          {describeEvent(eventType)}
        </RowButton>
      ),
    },
    {
      id: 'status',
      header: 'State',
      width: '6.5rem',
      text: ({ status }) => status,
      render: ({ status }) => <Badge color={STATUS_COLORS[status]}>{STATUS_TEXTS[status]}</Badge>,
    },
    {
      id: 'last',
      header: 'Last attempt',
      isWide: true,
      text: lastAttemptOf,
      render: lastAttemptOf,
    },
    {
      id: 'attempts',
      header: 'Attempts',
      width: '5rem',
      isWide: true,
      text: ({ attempts }) => String(attempts.length),
      render: ({ attempts }) => String(attempts.length),
    },
    {
      id: 'created',
      header: 'Created',
      width: '8rem',
      text: ({ createdAt }) => createdAt,
      render: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
  ];
}

/** The deliveries of a webhook, and the replay of those that failed. */
export function Deliveries({ id }: { id: string }) {
  const [{ status, delivery, dialog }, setState] = useUrlState();
  const chosen = DELIVERY_STATUSES.find((known) => known === status);
  const source = deliverySource(id, chosen);
  const list = useList(source);
  const columns = columnsOf((next) => setState({ delivery: next }, true));
  return (
    <>
      <Box pt="md" />
      <ListToolbar
        count={countOf(list)}
        actions={
          <>
            <ExportButton source={source} columns={columns} fileName={`deliveries-${id}`} />
            <Button variant="default" onClick={() => setState({ dialog: REPLAY }, true)}>
              Replay failed …
            </Button>
          </>
        }
      >
        <Select
          aria-label="State"
          placeholder="All states"
          clearable
          w={150}
          data={DELIVERY_STATUSES.map((value) => ({ value, label: STATUS_TEXTS[value] }))}
          value={chosen ?? null}
          onChange={(value) => setState({ status: value ?? undefined })}
        />
      </ListToolbar>
      <RecordTable
        label="Deliveries"
        list={list}
        columns={columns}
        idOf={(item) => item.id}
        empty={
          <EmptyState
            icon="webhook"
            title={chosen === undefined ? 'No deliveries yet' : 'No delivery matches'}
          >
            {chosen === undefined ? 'Each event that matches appears here.' : 'Change the filter.'}
          </EmptyState>
        }
      />
      <DeliveryDrawer
        webhookId={id}
        deliveryId={delivery ?? null}
        onClose={() => setState({ delivery: undefined })}
      />
      {dialog === REPLAY && <ReplayDialog id={id} onClose={() => setState({ dialog: undefined })} />}
    </>
  );
}

function ReplayDialog({ id, onClose }: { id: string; onClose(): void }) {
  const [initial] = useState(() => localInputValue(Date.now() - DAY_MS));
  const [since, setSince] = useState(initial);
  const moment = new Date(since);
  const isValid = !Number.isNaN(moment.getTime());
  const replay = useChange(
    (api, input: { id: string; since: string }) => api.replayFailedWebhookDeliveries(input),
    'webhooks',
    'home',
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isValid) return;
    replay.mutate(
      { id, since: moment.toISOString() },
      {
        onSuccess: ({ replayed }) => {
          notifyDone(`${replayed} ${replayed === 1 ? 'delivery is' : 'deliveries are'} sent again`);
          onClose();
        },
      },
    );
  };
  return (
    <Modal opened onClose={onClose} title="Replay failed deliveries" centered>
      <UnsavedGuard isDirty={since !== initial && !replay.isPending && !replay.isSuccess} openedBy="dialog" />
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">All deliveries that failed since this moment are sent again.</Text>
          <TextInput
            type="datetime-local"
            label="Since"
            data-autofocus
            value={since}
            error={isValid ? undefined : 'must be a moment'}
            onChange={({ currentTarget }) => setSince(currentTarget.value)}
          />
          {replay.error !== null && <ErrorNotice error={replay.error} title="The replay failed" />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={replay.isPending} disabled={!isValid}>
              Replay
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
