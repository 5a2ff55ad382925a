import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import { Icon } from '../../components/Icon.js';
import { IdCopy } from '../../components/IdCopy.js';
import { notifyDone } from '../../components/notify.js';
import { revokeToken } from './tokenApi.js';

/** What was issued, which only its response contains. */
export interface Issued {
  kind: 'token' | 'link';
  value: string;
  expiresAt: string;
}

const TEXTS = {
  token: {
    title: 'The access token',
    label: 'the token',
    once: 'This token is shown once. Copy it now. Every program that has it acts with its rights.',
  },
  link: {
    title: 'The sign-in link',
    label: 'the link',
    once: 'This link is shown once and works once. Send it only to the user whom it signs in.',
  },
} as const;

/** Shows a token or a sign-in link once. It is kept nowhere. */
export function IssuedDialog({ issued, onClose }: { issued: Issued | null; onClose(): void }) {
  return (
    <Modal
      opened={issued !== null}
      onClose={onClose}
      title={issued === null ? '' : TEXTS[issued.kind].title}
      closeOnClickOutside={false}
      centered
      size="lg"
    >
      {issued !== null && <Content issued={issued} onClose={onClose} />}
    </Modal>
  );
}

function Content({ issued: { kind, value, expiresAt }, onClose }: { issued: Issued; onClose(): void }) {
  const { once, label } = TEXTS[kind];
  const [state, setState] = useState<{ isRunning: boolean; error: unknown }>({
    isRunning: false,
    error: null,
  });
  const revoke = () => {
    setState({ isRunning: true, error: null });
    revokeToken(value).then(
      () => {
        notifyDone('The token was revoked');
        onClose();
      },
      (error: unknown) => setState({ isRunning: false, error }),
    );
  };
  return (
    <Stack>
      <Alert color="yellow" icon={<Icon name="warning" size={20} />}>
        {once} It ends on {new Date(expiresAt).toLocaleString('en')}.
      </Alert>
      <Text component="div">
        <IdCopy value={value} label={label} isFirst />
      </Text>
      {state.error !== null && <ErrorNotice error={state.error} title="It was not revoked" />}
      <Group justify="flex-end">
        {kind === 'token' && (
          <Button variant="light" color="red" onClick={revoke} loading={state.isRunning}>
            Revoke it
          </Button>
        )}
        <Button onClick={onClose}>I copied it</Button>
      </Group>
    </Stack>
  );
}
