import { restricted, screen } from '../../shell/screen.js';

export const tenantScreens = [
  screen('/tenants', async () => ({ Screen: (await import('./TenantList.js')).TenantList })),
  restricted('/tenants/new', 'ADMIN', async () => ({
    Screen: (await import('./TenantDetail.js')).NewTenant,
  })),
  screen('/tenants/$id', async () => ({ Screen: (await import('./TenantDetail.js')).TenantDetail })),
];
