import { describe, expect, it } from 'vitest';
import type { ActorFacts } from '../../preview/logic/facts.js';
import { builtInValues } from './placeholders.js';

const USER: ActorFacts = {
  kind: 'TENANT_USER',
  id: 'tu_1',
  key: 'k1',
  name: 'Pam',
  email: 'pam@example.com',
  role: 'VIEWER',
  tenantId: 't_1',
  tenantKey: 'kt1',
};

describe('built-in names', () => {
  it('have the values of the actor, if it has them', () => {
    expect(builtInValues(USER)).toEqual({
      'actor.kind': 'TENANT_USER',
      'actor.id': 'tu_1',
      'actor.tenantId': 't_1',
      'actor.email': 'pam@example.com',
      'actor.role': 'VIEWER',
    });
    const tenant: ActorFacts = {
      ...USER,
      kind: 'TENANT',
      id: 't_1',
      email: null,
      role: null,
      tenantId: null,
    };
    expect(builtInValues(tenant)).toEqual({
      'actor.kind': 'TENANT',
      'actor.id': 't_1',
      'actor.tenantId': 't_1',
    });
    const all: ActorFacts = {
      ...USER,
      kind: 'ALL_TENANTS',
      id: null,
      email: null,
      role: null,
      tenantId: null,
    };
    expect(builtInValues(all)).toEqual({ 'actor.kind': 'ALL_TENANTS' });
  });
});
