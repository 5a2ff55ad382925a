import { NewRecord } from '../../components/NewRecord.js';
import type { Choice } from '../../components/Picker.js';
import { useParam } from '../../data/useParam.js';
import { tenantField, userFields } from './fields.js';

/** The form of a new user of the organization or of a tenant. */
export function NewUser() {
  const type = useParam('type') === 'tenant' ? 'tenant' : 'organization';
  const fields = userFields(type);
  return (
    <NewRecord
      key={type}
      noun={type === 'tenant' ? 'tenant user' : 'organization user'}
      parent={{ title: 'Users', to: '/people' }}
      pathOf={(id) => `/people/${type}/${id}`}
      fields={type === 'tenant' ? [tenantField, ...fields] : fields}
      initial={{
        name: '',
        email: '',
        role: 'VIEWER',
        department: '',
        isActive: true,
        ...(type === 'tenant' ? { tenant: null } : {}),
      }}
      create={async (api, { tenant, ...values }) => {
        const given = values as { name: string; email: string; role: 'VIEWER' };
        const { user } =
          type === 'tenant'
            ? await api.createTenantUser({ ...given, tenantId: (tenant as Choice | undefined)?.id ?? '' })
            : await api.createOrgUser(given);
        return { id: user.id };
      }}
      outdates={['people']}
    />
  );
}
