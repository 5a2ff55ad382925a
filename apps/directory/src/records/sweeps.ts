import type { Sweep } from '@gatehouse/service';
import type { Directory } from '../directory.js';

/** Derives the terms of records that a former release wrote. */
export function createTermSweeps({ stores }: Directory): Sweep[] {
  const { tenantUsers, orgUsers, groups, tenants } = stores;
  return [
    { name: 'terms of tenant users', run: () => tenantUsers.addMissingTerms() },
    { name: 'terms of org users', run: () => orgUsers.addMissingTerms() },
    { name: 'terms of groups', run: () => groups.addMissingTerms() },
    { name: 'terms of tenants', run: () => tenants.addMissingTerms() },
  ];
}
