import { ASSIGNMENT_SCOPES, type AssignmentScope } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { findApplicable, isApplicable } from './precedence.js';
import type { ActorFacts, AssignmentFacts } from './facts.js';

/** Actors of tenant t1. Keys of tenants and users deliberately use the same few texts. */
function actorOf(kind: AssignmentScope, key: string, tenantKey: string): ActorFacts {
  const base = { kind, id: null, name: null, email: null, role: null, tenantId: null };
  if (kind === 'ALL_TENANTS') return { ...base, key: null, tenantKey: null };
  return { ...base, key, tenantKey: kind === 'ORG_USER' ? null : kind === 'TENANT' ? key : tenantKey };
}

/** By kind of actor and scope: the actor key that an assignment of the scope needs to apply. */
const TABLE: Record<AssignmentScope, Record<AssignmentScope, 'all' | 'actor' | 'tenant' | 'none'>> = {
  TENANT_USER: { ALL_TENANTS: 'all', TENANT: 'tenant', TENANT_USER: 'actor', ORG_USER: 'none' },
  TENANT: { ALL_TENANTS: 'all', TENANT: 'actor', TENANT_USER: 'none', ORG_USER: 'none' },
  ORG_USER: { ALL_TENANTS: 'none', TENANT: 'none', TENANT_USER: 'none', ORG_USER: 'actor' },
  ALL_TENANTS: { ALL_TENANTS: 'all', TENANT: 'none', TENANT_USER: 'none', ORG_USER: 'none' },
};
const KEYS = ['k1', 'k2', 'k3'];

describe.each(ASSIGNMENT_SCOPES)('to an actor of kind %s', (kind) => {
  it.each(ASSIGNMENT_SCOPES)(
    'an assignment of scope %s applies exactly if it names the actor',
    (scopeType) => {
      const wanted = TABLE[kind][scopeType];
      for (const key of KEYS) {
        for (const tenantKey of KEYS) {
          for (const actorKey of [...KEYS, null]) {
            const actor = actorOf(kind, key, tenantKey);
            const names = {
              all: true,
              none: false,
              actor: actorKey === key,
              tenant: actorKey === tenantKey,
            };
            expect(isApplicable({ scopeType, actorKey }, actor)).toBe(names[wanted]);
          }
        }
      }
    },
  );
});

it('never matches two missing keys', () => {
  const keyless = { ...actorOf('TENANT_USER', 'k1', 'k2'), key: null, tenantKey: null };
  for (const kind of ASSIGNMENT_SCOPES) {
    for (const scopeType of ['TENANT', 'TENANT_USER', 'ORG_USER'] as const) {
      expect(isApplicable({ scopeType, actorKey: null }, { ...keyless, kind })).toBe(false);
    }
  }
});

it('compares keys and not ids, which may be reused', () => {
  const again = { ...actorOf('TENANT', 'k2', ''), id: 't_1' };
  expect(isApplicable({ scopeType: 'TENANT', actorKey: 'k1' }, again)).toBe(false);
  expect(isApplicable({ scopeType: 'TENANT', actorKey: 't_1' }, again)).toBe(false);
});

const assignment = (
  id: string | null,
  name: string,
  scopeType: AssignmentScope,
  actorKey: string | null,
): AssignmentFacts => ({
  id,
  definition: { id: `d-${name}`, name, clsConfig: null, slsConfig: null, rlsConfig: null },
  scopeType,
  actorKey,
  params: {},
  source: id === null ? 'draft' : 'persisted',
});

it('sorts by scope, then by name, drafts last, with a reason for each', () => {
  const given = [
    assignment('a1', 'b', 'TENANT_USER', 'k1'),
    assignment(null, 'a', 'TENANT', 'k2'),
    assignment('a3', 'a', 'TENANT', 'k2'),
    assignment('a2', 'a', 'TENANT', 'k2'),
    assignment('a4', 'z', 'ALL_TENANTS', null),
    assignment('a5', 'z', 'TENANT', 'k9'),
  ];
  const { applicable, trace } = findApplicable(given, actorOf('TENANT_USER', 'k1', 'k2'));
  expect(applicable.map(({ id }) => id)).toEqual(['a4', 'a2', 'a3', null, 'a1']);
  expect(trace.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
    'a4 applies',
    'a2 applies',
    'a3 applies',
    'draft of "a" applies',
    'a5 skipped',
    'a1 applies',
  ]);
  expect(trace.find(({ name }) => name === 'a5')?.why).toBe(
    'It is for a tenant, and the actor is not that tenant or of it.',
  );
});
