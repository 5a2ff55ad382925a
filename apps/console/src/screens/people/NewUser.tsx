import { NewRecord } from '../../components/NewRecord.js';
import type { Api } from '../../data/api.js';
import { useUrlState } from '../../data/urlState.js';
import { useParam } from '../../data/useParam.js';
import { idField, tenantField, userFields } from './fields.js';

/** The form of a new user of the organization or of a tenant, which the address may name. */
export function NewUser() {
  const type = useParam('type') === 'tenant' ? 'tenant' : 'organization';
  const [{ tenant }] = useUrlState();
  const fields = userFields(type);
  return (
    <NewRecord
      key={type}
      noun={type === 'tenant' ? 'tenant user' : 'organization user'}
      parent={{ title: 'Users', to: '/people' }}
      pathOf={(id) => `/people/${type}/${id}`}
      fields={type === 'tenant' ? [tenantField, ...fields, idField] : fields}
      initial={{
        name: '',
        email: '',
        role: 'VIEWER',
        department: '',
        isActive: true,
        ...(type === 'tenant' ? { tenantId: tenant ?? '', id: '' } : {}),
      }}
      create={async (api, values) => {
        const { user } =
          type === 'tenant'
            ? await api.createTenantUser(values as Parameters<Api['createTenantUser']>[0])
            : await api.createOrgUser(values as Parameters<Api['createOrgUser']>[0]);
        return { id: user.id };
      }}
      outdates={['people']}
    />
  );
}
