import { NewRecord } from '../../components/NewRecord.js';
import { notifyDone } from '../../components/notify.js';
import type { Api } from '../../data/api.js';
import { useUrlState } from '../../data/urlState.js';
import { useSession } from '../../session/SessionContext.js';
import { CONNECTION, DATABASE, NAME, rulesField, schemaField } from './definitionFields.js';

/** The form of a new policy definition. */
export function NewDefinition() {
  const { project } = useSession();
  const [{ connection }] = useUrlState();
  return (
    <NewRecord
      noun="policy definition"
      parent={{ title: 'Policies', to: '/policies/definitions' }}
      pathOf={(id) => `/policies/definitions/${id}`}
      fields={[NAME, CONNECTION, rulesField(), schemaField(), DATABASE]}
      initial={{
        name: '',
        connectionId: connection ?? '',
        rlsConfig: null,
        slsConfig: null,
        clsConfig: null,
      }}
      create={async (api, values) => {
        const input = { projectId: project.id, ...values } as Parameters<Api['createPolicyDefinition']>[0];
        const { data } = await api.createPolicyDefinition(input);
        if (data.warnings.length > 0) notifyDone(`Created with ${data.warnings.length} warnings`);
        return data.definition;
      }}
      outdates={['definitions']}
    />
  );
}
