import type { Webhook } from '@gatehouse/contract';
import { Alert, Button, Menu, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDelete } from '../../components/ConfirmDelete.js';
import { Icon } from '../../components/Icon.js';
import { IdCopy } from '../../components/IdCopy.js';
import { notifyError } from '../../components/notify.js';
import { RecordMenu } from '../../components/RecordMenu.js';
import { SecretDialog } from '../../components/SecretDialog.js';
import { useApi, type Api } from '../../data/api.js';
import { useCache } from '../../data/useRecord.js';
import { describeAttempt, nameOf } from './texts.js';

type Test = Awaited<ReturnType<Api['testWebhook']>>['test'];

/** What can be done with a webhook as a whole. */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const { id } = webhook;
  const api = useApi();
  const cache = useCache();
  const [isRotating, setRotating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const [test, setTest] = useState<Test | null>(null);
  const [isTesting, setTesting] = useState(false);
  const send = () => {
    setTesting(true);
    api
      .testWebhook({ id })
      .then((response) => setTest(response.test), notifyError)
      .finally(() => setTesting(false));
  };
  const rotate = async () => {
    setSecret((await api.rotateWebhookSecret({ id })).webhook.secret);
    await cache.outdate('webhooks');
  };
  return (
    <>
      <Button variant="default" loading={isTesting} onClick={send}>
        Test
      </Button>
      <RecordMenu
        noun="webhook"
        name={nameOf(webhook)}
        recordKey={['webhooks', id]}
        listPath="/webhooks"
        remove={(by) => by.deleteWebhook({ id })}
        consequence="Its deliveries are deleted as well."
      >
        <Menu.Item leftSection={<Icon name="refresh" />} onClick={() => setRotating(true)}>
          Rotate the secret
        </Menu.Item>
      </RecordMenu>
      <ConfirmDelete
        name="the secret"
        verb="Rotate"
        isOpen={isRotating}
        onClose={() => setRotating(false)}
        onConfirm={rotate}
      >
        For 24 hours, requests are signed with the former secret as well.
      </ConfirmDelete>
      <SecretDialog secret={secret} noun="webhook" onClose={() => setSecret(null)} />
      <Modal opened={test !== null} onClose={() => setTest(null)} title="Test event" centered>
        {test !== null && (
          <Stack>
            <Alert color={test.isDelivered ? 'teal' : 'red'} title={describeAttempt(test)}>
              The attempt took {test.durationMs.toLocaleString('en')} ms.
            </Alert>
            <Text size="sm" component="div">
              Event <IdCopy value={test.eventId} />
            </Text>
          </Stack>
        )}
      </Modal>
    </>
  );
}
