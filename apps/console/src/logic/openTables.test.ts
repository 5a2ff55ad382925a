import { describe, expect, it } from 'vitest';
import { openTables } from './openTables.js';

const table = (name: string) => ({ schema: 'public', table: name });

describe('the tables that users read whole', () => {
  const actors = [
    {
      actor: { kind: 'ORG_USER' as const, orgUserId: 'ou_1' },
      ungoverned: [table('orders'), table('notes')],
    },
    { actor: { kind: 'ALL_TENANTS' as const }, ungoverned: [table('orders')] },
    { actor: { kind: 'TENANT' as const, tenantId: 't' }, ungoverned: [table('orders'), table('lists')] },
  ];

  it('are those of tenants first, and of the organization alone', () => {
    expect(openTables(actors)).toEqual({
      tenants: ['public.lists', 'public.orders'],
      staff: ['public.notes'],
    });
  });

  it('are open to tenants as well if everyone reads them', () => {
    expect(openTables(actors.slice(0, 1), true)).toEqual({
      tenants: ['public.notes', 'public.orders'],
      staff: [],
    });
  });

  it('are none without actors', () => {
    expect(openTables([])).toEqual({ tenants: [], staff: [] });
  });
});
