import type { Field } from '../../components/fields.js';
import { NewRecord } from '../../components/NewRecord.js';
import { tenantField } from '../people/fields.js';
import { groupFields } from './GroupDetail.js';

const TYPE: Field = {
  name: 'type',
  label: 'Type',
  kind: 'select',
  options: [
    { value: 'ORG_GROUP', label: 'Organization group: any people' },
    { value: 'TENANT_GROUP', label: 'Tenant group: users of one tenant' },
  ],
};
const TENANT: Field = { ...tenantField, isShown: ({ type }) => type === 'TENANT_GROUP' };

/** The form of a new group. */
export function NewGroup() {
  return (
    <NewRecord
      noun="group"
      parent={{ title: 'Groups', to: '/groups' }}
      fields={[...groupFields, TYPE, TENANT]}
      initial={{ name: '', description: '', type: 'ORG_GROUP', tenantId: '' }}
      create={async (api, { tenantId, ...values }) => {
        const input = values as { name: string; type: 'ORG_GROUP' | 'TENANT_GROUP' };
        const isOfTenant = input.type === 'TENANT_GROUP';
        const { group } = await api.createGroup(
          isOfTenant ? { ...input, tenantId: String(tenantId) } : input,
        );
        return { id: group.id };
      }}
      outdates={['groups']}
    />
  );
}
