import { NewRecord } from '../../components/NewRecord.js';
import { notifyDone } from '../../components/notify.js';
import type { Api } from '../../data/api.js';
import { useUrlState } from '../../data/urlState.js';
import { useSession } from '../../session/SessionContext.js';
import { parseActor } from './actors.js';
import { actorFields, assignmentInput, DEFINITION } from './assignmentFields.js';

/** The form of a new assignment. */
export function NewAssignment() {
  const { project } = useSession();
  const [{ definition, actor }] = useUrlState();
  return (
    <NewRecord
      noun="assignment"
      parent={{ title: 'Policy assignments', to: '/policies/assignments' }}
      fields={[DEFINITION, ...actorFields]}
      initial={{ definitionId: definition ?? '', actor: parseActor(actor, 'ALL_TENANTS'), params: null }}
      create={async (api, values) => {
        const input = { projectId: project.id, ...assignmentInput(values) };
        const { data } = await api.createPolicyAssignment(
          input as Parameters<Api['createPolicyAssignment']>[0],
        );
        if (data.warnings.length > 0) notifyDone(`Created. ${data.warnings[0]?.message ?? ''}`);
        return data.assignment;
      }}
      outdates={['assignments', 'definitions']}
    />
  );
}
