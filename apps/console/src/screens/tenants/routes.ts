import { screen } from '../../shell/screen.js';

export const tenantScreens = [
  screen('/tenants', async () => ({ Screen: (await import('./TenantList.js')).TenantList })),
  screen('/tenants/new', async () => ({ Screen: (await import('./TenantDetail.js')).NewTenant })),
  screen('/tenants/$id', async () => ({ Screen: (await import('./TenantDetail.js')).TenantDetail })),
];
