import type { Webhook } from '@gatehouse/contract';
import { ActionIcon, Alert, Button, Menu, Modal, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmDelete } from '../../components/ConfirmDelete.js';
import { Icon } from '../../components/Icon.js';
import { IdCopy } from '../../components/IdCopy.js';
import { notifyDone, notifyError } from '../../components/notify.js';
import { SecretDialog } from '../../components/SecretDialog.js';
import { useApi, type Api } from '../../data/api.js';
import { useCache } from '../../data/useRecord.js';
import { describeAttempt } from './texts.js';

type Test = Awaited<ReturnType<Api['testWebhook']>>['test'];

/** What can be done with a webhook as a whole. */
export function WebhookActions({ webhook: { id, url } }: { webhook: Webhook }) {
  const api = useApi();
  const cache = useCache();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<'delete' | 'rotate' | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const [test, setTest] = useState<Test | null>(null);
  const [isTesting, setTesting] = useState(false);
  const close = () => setDialog(null);
  const send = () => {
    setTesting(true);
    api
      .testWebhook({ id })
      .then((response) => setTest(response.test), notifyError)
      .finally(() => setTesting(false));
  };
  const rotate = async () => {
    const { webhook } = await api.rotateWebhookSecret({ id });
    setSecret(webhook.secret);
    await cache.outdate('webhooks');
  };
  const remove = async () => {
    await api.deleteWebhook({ id });
    await navigate({ to: '/webhooks' });
    cache.forget(['webhooks', id]);
    await cache.outdate('webhooks', 'home');
    notifyDone('The webhook was deleted');
  };
  return (
    <>
      <Button variant="default" loading={isTesting} onClick={send}>
        Test
      </Button>
      <Menu width={200}>
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label="Actions on the webhook">
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="refresh" />} onClick={() => setDialog('rotate')}>
            Rotate the secret
          </Menu.Item>
          <Menu.Item color="red" leftSection={<Icon name="trash" />} onClick={() => setDialog('delete')}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDelete name={url} isOpen={dialog === 'delete'} onClose={close} onConfirm={remove}>
        Its deliveries are deleted as well. This cannot be undone.
      </ConfirmDelete>
      <ConfirmDelete
        name="the secret"
        verb="Rotate"
        isOpen={dialog === 'rotate'}
        onClose={close}
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
