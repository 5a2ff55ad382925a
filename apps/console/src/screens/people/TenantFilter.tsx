import { useQuery } from '@tanstack/react-query';
import { Picker } from '../../components/Picker.js';
import { useApi } from '../../data/api.js';
import { tenantSource } from '../../data/choices.js';
import { useUrlState } from '../../data/urlState.js';
import classes from './TenantFilter.module.css';

/** The filter by tenant, in the address. */
export function TenantFilter() {
  const api = useApi();
  const [{ tenant }, setState] = useUrlState();
  const { data } = useQuery({
    queryKey: ['tenants', 'name', tenant],
    queryFn: async ({ signal }) => (await api.getTenant({ id: tenant ?? '' }, { signal })).tenant.name,
    enabled: tenant !== undefined,
  });
  return (
    <div className={classes['filter']}>
      <Picker
        label="Tenant"
        placeholder="All tenants"
        value={tenant === undefined ? null : { id: tenant, name: data ?? tenant }}
        onChange={(choice) => setState({ tenant: choice?.id })}
        source={tenantSource}
      />
    </div>
  );
}
