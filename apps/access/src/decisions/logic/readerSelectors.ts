import { ALL_TENANTS, groupIdOf, ORG_WIDE } from './access.js';

/** The users that a set of subjects reaches, in the terms of a user lookup. */
export interface ReaderSelectors {
  userKeys: string[];
  tenantKeys: string[];
  groupIds: string[];
  allOrgUsers: boolean;
  allTenantUsers: boolean;
}

/** Inverts `readersOf`: selects every user that one of the subjects reaches, and no other user. */
export function selectorsOfReaders(readers: readonly string[]): ReaderSelectors {
  const selectors: ReaderSelectors = {
    userKeys: [],
    tenantKeys: [],
    groupIds: [],
    allOrgUsers: false,
    allTenantUsers: false,
  };
  const tenantKeys = new Set<string>();
  for (const reader of readers) {
    const groupId = groupIdOf(reader);
    if (groupId !== undefined) selectors.groupIds.push(groupId);
    else if (reader.startsWith('u:')) selectors.userKeys.push(reader);
    else if (reader.startsWith('t:')) tenantKeys.add(reader);
    else if (reader === ALL_TENANTS) selectors.allTenantUsers = true;
    else if (ORG_WIDE.has(reader)) selectors.allOrgUsers = true;
    else if (reader.startsWith('home:')) tenantKeys.add(reader.slice('home:'.length));
  }
  return { ...selectors, tenantKeys: [...tenantKeys] };
}
