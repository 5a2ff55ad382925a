import { GatehouseError } from '@gatehouse/client';
import { Text } from '@mantine/core';
import { useState } from 'react';
import type { Field, FormValues } from '../../components/fields.js';
import { notifyDone } from '../../components/notify.js';
import { Page } from '../../components/Page.js';
import { RecordForm } from '../../components/RecordForm.js';
import { faultOf } from './faults.js';
import { revokeToken } from './tokenApi.js';

const TOKEN: Field = {
  name: 'token',
  label: 'Access token',
  description: 'The whole token. Without it, deactivate its user, which rejects all tokens of the user.',
  kind: 'password',
  isRequired: true,
};
const SAVED = { token: '' };
/** The characters of a token: others cannot be in a header. */
const FORM = /^[\w.-]+$/;

async function revoke(values: FormValues): Promise<void> {
  const token = String(values['token']).trim();
  if (!FORM.test(token)) throw faultOf('token', 'must be an access token');
  await revokeToken(token).catch((error: unknown) => {
    if (error instanceof GatehouseError && error.status === 401)
      throw faultOf('token', 'is not a token of this Gatehouse, has expired or was revoked');
    throw error;
  });
}

/** The form that ends a token before it expires. */
export function RevokeToken() {
  const [count, setCount] = useState(0);
  return (
    <Page>
      <Text size="sm" c="dimmed" mb="md">
        A revoked token is rejected within a second. What was done with it stays, and is in the audit log.
      </Text>
      <RecordForm
        key={count}
        fields={[TOKEN]}
        saved={SAVED}
        isNew
        submitLabel="Revoke"
        errorTitle="It was not revoked"
        onSubmit={async (values) => {
          await revoke(values);
          notifyDone('The token was revoked');
          setCount(count + 1);
        }}
      />
    </Page>
  );
}
