import { useMemo, useState } from 'react';
import type { FormValues } from '../../components/fields.js';
import { Page } from '../../components/Page.js';
import { RecordForm } from '../../components/RecordForm.js';
import { useUrlState } from '../../data/urlState.js';
import { useSession } from '../../session/SessionContext.js';
import { asFormError } from './faults.js';
import { tokenFields, tokenRequest } from './fields.js';
import { IssuedDialog, type Issued } from './IssuedDialog.js';
import { createTokenApi } from './tokenApi.js';

async function issue(values: FormValues, projectId: string): Promise<Issued> {
  const api = createTokenApi();
  const request = tokenRequest(values, projectId);
  if (values['issue'] !== 'link') {
    const { accessToken, expiresAt } = await api.issueToken(request);
    return { kind: 'token', value: accessToken, expiresAt };
  }
  const { signInCode, expiresAt } = await api.createSignInCode(request);
  const address = `${location.origin}/console?project=${encodeURIComponent(projectId)}`;
  return { kind: 'link', value: `${address}#sign-in=${signInCode}`, expiresAt };
}

/** The form of a token of the project. The address may name the user. */
export function IssueToken() {
  const { project } = useSession();
  const [{ person, kind }] = useUrlState();
  const [issued, setIssued] = useState<Issued | null>(null);
  const saved = useMemo(
    () => ({
      issue: 'user',
      person:
        person === undefined ? null : { id: person, kind: kind === 'tenant' ? 'tenant' : 'organization' },
      tokenExpiry: '1800',
      mode: 'all',
      domains: [],
      projectSecret: '',
    }),
    [person, kind],
  );
  const submit = async (values: FormValues) => {
    try {
      setIssued(await issue(values, project.id));
    } catch (error) {
      throw asFormError(error);
    }
  };
  return (
    <Page>
      <RecordForm
        key={`${project.id} ${person} ${kind}`}
        fields={tokenFields(project.name)}
        saved={saved}
        isNew
        submitLabel="Issue"
        errorTitle="Nothing was issued"
        onSubmit={submit}
      />
      <IssuedDialog issued={issued} onClose={() => setIssued(null)} />
    </Page>
  );
}
