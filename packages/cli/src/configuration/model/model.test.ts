import { findProcedure, type ProcedurePath } from '@gatehouse/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignKeys } from './keys.js';
import { KIND_NAMES, type KindName } from './kinds.js';
import { findMarkers, mapTexts, markIds, resolveMarkers } from './markers.js';
import { jsonSchemaOf } from './schemas.js';
import { hideSecrets, referenceFor, variableOf } from './secrets.js';

const ids = fc.stringMatching(/^(c|v|d|dom|dm|ap)_[A-Za-z0-9_-]{16}$/);
const keys = fc.oneof(fc.string(), fc.constantFrom('a}b', String.raw`a\}`, '${x:y}', '\n'));

describe('markers', () => {
  it('are resolved to the text that they were made of, whatever it contains', () => {
    const parts = fc.oneof(
      fc.string(),
      ids,
      fc.constantFrom('$', '${', '$${', '}', '${env:X}', '${visual:a}'),
    );
    const texts = fc.array(parts).map((list) => list.join(''));
    const known = fc.uniqueArray(fc.tuple(ids, keys), { selector: ([id]) => id, maxLength: 5 });
    fc.assert(
      fc.property(known, texts, fc.array(fc.nat(4)), (records, text, picks) => {
        const used = text + picks.map((index) => records[index]?.[0] ?? '').join('/');
        const byId = new Map(
          records.map(([id, key], index) => [id, { kind: 'visual', key: `${index} ${key}` }]),
        );
        const byKey = new Map([...byId].map(([id, { key }]) => [key, id]));
        const marked = markIds(used, (id) => byId.get(id));
        expect(resolveMarkers(marked, (_kind, key) => byKey.get(key) ?? '?')).toBe(used);
      }),
    );
  });

  it('replace ids in values and in the names of members', () => {
    const id = 'c_0123456789abcdef';
    const marked = mapTexts({ [id]: [{ to: `/x/${id}?` }, 1, null] }, (text) =>
      markIds(text, () => ({ kind: 'connection', key: 'Warehouse' })),
    );
    expect(marked).toEqual({ '${connection:Warehouse}': [{ to: '/x/${connection:Warehouse}?' }, 1, null] });
    expect(findMarkers(marked)).toHaveLength(2);
  });
});

describe('keys', () => {
  const named = fc.record({
    natural: fc.constantFrom('Sales', 'Sales #2', 'Sales #3', 'Other'),
    createdAt: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'),
  });
  const lists = fc
    .array(named)
    .map((list) => list.map((record, index) => ({ ...record, id: String(index) })));

  it('are unique, and that of the oldest of a name is the name', () => {
    fc.assert(
      fc.property(lists, (records) => {
        const found = assignKeys(records);
        expect(new Set(found).size).toBe(records.length);
        for (const name of new Set(records.map(({ natural }) => natural))) expect(found).toContain(name);
      }),
    );
  });

  it('do not depend on the order of a list', () => {
    fc.assert(
      fc.property(lists, (records) => {
        const byId = (list: typeof records) => {
          const found = assignKeys(list);
          return new Map(list.map(({ id }, index) => [id, found[index]]));
        };
        expect(byId(records.toReversed())).toEqual(byId(records));
      }),
    );
  });
});

describe('the files of a kind', () => {
  /** What the API takes from the project, the path or the account. */
  const OUTSIDE = ['id', 'projectId', 'domainId', 'testId', 'assignmentId', 'commitMessage', 'runTests'];
  const RENAMED: Readonly<Record<string, string>> = {
    tenantId: 'tenant',
    defaultOwnerId: 'defaultOwner',
    connectionId: 'connection',
    definitionId: 'definition',
  };
  const ACTOR = ['scopeType', 'orgUserId', 'tenantId', 'tenantUserId'];
  const nounOf: Readonly<Record<KindName, string>> = {
    tenant: 'directory.tenants',
    orgUser: 'directory.orgUsers',
    tenantUser: 'directory.tenantUsers',
    group: 'directory.groups',
    connection: 'semantics.connections',
    domain: 'semantics.domains',
    datamodel: 'semantics.datamodels',
    assistantProfile: 'semantics.assistantProfiles',
    visual: 'access.visuals',
    dashboard: 'access.dashboards',
    policyDefinition: 'policy.definitions',
    policyAssignment: 'policy.assignments',
    policyTest: 'policy.tests',
    webhook: 'audit.webhooks',
  };
  interface Schema {
    properties?: object;
    anyOf?: Schema[];
    oneOf?: Schema[];
  }

  it.each(KIND_NAMES)('have every field that a record of the API is created or changed with: %s', (kind) => {
    const taken = ['create', 'update'].flatMap((verb) =>
      Object.keys(findProcedure(`${nounOf[kind]}.${verb}` as ProcedurePath).input.shape),
    );
    const { properties, anyOf = [], oneOf = [] } = jsonSchemaOf(kind) as Schema;
    const forms = [properties, ...[...anyOf, ...oneOf].map((form) => form.properties)];
    const known = new Set(forms.flatMap((form) => Object.keys(form ?? {})));
    const missing = taken.filter((field) => {
      if (kind === 'policyAssignment' && ACTOR.includes(field)) return !known.has('actor');
      if (kind === 'policyDefinition' && field === 'definitionId') return false;
      return !OUTSIDE.includes(field) && !known.has(RENAMED[field] ?? field);
    });
    expect(missing).toEqual([]);
    expect(taken.length).toBeGreaterThan(2);
  });
});

describe('secrets', () => {
  it('are hidden by the kind of record and the name of the field alone', () => {
    const fields = { config: { password: 'a', user: 'b' }, params: { 'key@secret': 'c', key: 'd' } };
    expect(hideSecrets('connection', fields)).toEqual({
      config: { password: '***', user: 'b' },
      params: fields.params,
    });
    expect(hideSecrets('policyAssignment', fields)).toEqual({
      config: fields.config,
      params: { 'key@secret': '***', key: 'd' },
    });
    expect(hideSecrets('dashboard', fields)).toEqual(fields);
  });

  it('are references to variables with names that every shell takes', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        expect(variableOf(referenceFor(name, 'password'))).toMatch(/^GATEHOUSE_[A-Z0-9_]+$/);
      }),
    );
  });
});
