import { Badge, Button, Drawer, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CodeEditor } from '../../components/CodeEditor.js';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import { Icon } from '../../components/Icon.js';
import { IdCopy } from '../../components/IdCopy.js';
import { notifyDone, notifyError } from '../../components/notify.js';
import { Facts } from '../../components/Page.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { SmallTable } from '../../components/SmallTable.js';
import { useApi } from '../../data/api.js';
import { useChange } from '../../data/useRecord.js';
import { useSession } from '../../session/SessionContext.js';
import { describeAttempt, STATUS_COLORS, STATUS_TEXTS } from './texts.js';

const REFRESH_MS = 2000;

interface Props {
  webhookId: string;
  /** Null closes the drawer. */
  deliveryId: string | null;
  onClose(): void;
}

/** A delivery with its attempts and its event, and its replay. */
export function DeliveryDrawer({ webhookId, deliveryId, onClose }: Props) {
  return (
    <Drawer opened={deliveryId !== null} onClose={onClose} position="right" size="lg" title="Delivery">
      {deliveryId !== null && <Delivery webhookId={webhookId} deliveryId={deliveryId} />}
    </Drawer>
  );
}

function Delivery({ webhookId: id, deliveryId }: { webhookId: string; deliveryId: string }) {
  const api = useApi();
  const { project } = useSession();
  const { data, error, refetch } = useQuery({
    queryKey: ['records', project.id, 'webhooks', id, 'delivery', deliveryId],
    queryFn: ({ signal }) => api.getWebhookDelivery({ id, deliveryId }, { signal }),
    refetchInterval: ({ state }) => (state.data?.delivery.status === 'pending' ? REFRESH_MS : false),
  });
  const replay = useChange(
    (client, input: { id: string; deliveryId: string }) => client.replayWebhookDelivery(input),
    'webhooks',
    'home',
  );
  if (error !== null && data === undefined)
    return <ErrorNotice error={error} title="It could not be read" onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={200} />;
  const { delivery } = data;
  return (
    <Stack>
      <Facts
        facts={[
          [
            'State',
            <Badge key="state" color={STATUS_COLORS[delivery.status]}>
              {STATUS_TEXTS[delivery.status]}
            </Badge>,
          ],
          ['Event type', delivery.eventType],
          ['Event', <IdCopy key="event" value={delivery.eventId} />],
          ['Created', <RelativeTime key="created" at={delivery.createdAt} />],
          [
            'Next attempt',
            delivery.nextAttemptAt === null ? (
              'None'
            ) : (
              <RelativeTime key="next" at={delivery.nextAttemptAt} />
            ),
          ],
        ]}
      />
      {delivery.status !== 'pending' && (
        <div>
          <Button
            variant="default"
            leftSection={<Icon name="refresh" />}
            loading={replay.isPending}
            onClick={() =>
              replay.mutate(
                { id, deliveryId },
                {
                  onSuccess: () => notifyDone('The event is sent again'),
                  onError: (failure) => notifyError(failure),
                },
              )
            }
          >
            Replay
          </Button>
        </div>
      )}
      <Title order={3} size="h5">
        Latest attempts
      </Title>
      {delivery.attempts.length === 0 ? (
        <Text size="sm" c="dimmed">
          None yet
        </Text>
      ) : (
        <SmallTable
          label="Latest attempts"
          headers={['Time', 'Outcome', 'Duration']}
          rows={delivery.attempts.toReversed().map((attempt) => ({
            key: attempt.attemptedAt,
            cells: [
              <RelativeTime key="time" at={attempt.attemptedAt} />,
              describeAttempt(attempt),
              `${attempt.durationMs.toLocaleString('en')} ms`,
            ],
          }))}
        />
      )}
      <Title order={3} size="h5">
        Event
      </Title>
      <CodeEditor label="Event" language="json" value={JSON.stringify(delivery.event, null, 2)} isReadOnly />
    </Stack>
  );
}
