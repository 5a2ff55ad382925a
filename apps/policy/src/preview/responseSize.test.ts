import { describe, expect, it } from 'vitest';
import { TooLarge, BYTES_MAX } from '../limits/logic/byteBudget.js';
import type { AssignmentFacts, DefinitionFacts, ResolutionRequest } from './logic/facts.js';
import { resolvePolicies } from '../testing/runSteps.js';

const IDENTITY = { id: null, key: null, name: null, email: null, role: null };
const REQUEST: ResolutionRequest = {
  actor: { kind: 'ALL_TENANTS', ...IDENTITY, tenantId: null, tenantKey: null },
  connection: { dialect: 'postgres', unassignedActors: 'deny' },
  isGoverned: true,
  assignments: [],
  tokenPolicies: null,
  tokenParams: {},
  runtimeParams: {},
  onlyTokenPolicies: false,
};

/** The size of a response that shows a value each time that it occurs. */
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const namesOf = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`);

/** Rules that each compare a column with every one of the values. */
function withRules(rules: number, values: number): ResolutionRequest {
  const names = namesOf(values);
  const expression = names.map((name) => `a = {{${name}}}`).join(' or ');
  const rule = { matcher: { type: 'SCHEMA' as const, schema: 's' }, expression, enabled: true };
  return {
    ...REQUEST,
    runtimeParams: Object.fromEntries(names.map((name) => [name, 'x'.repeat(10_000)])),
    tokenPolicies: { rls: { rules: Array.from({ length: rules }, () => rule) } },
  };
}

function assigned(index: number, configs: Partial<DefinitionFacts>): AssignmentFacts {
  const name = `${index}`.padEnd(200, 'n');
  const definition = { id: `usd_${index}`, name, clsConfig: null, slsConfig: null, rlsConfig: null };
  return {
    id: `usa_${index}`,
    definition: { ...definition, ...configs },
    scopeType: 'ALL_TENANTS',
    actorKey: null,
    params: {},
    source: 'persisted',
  };
}

describe('policies with their values', () => {
  it('are rejected when the same values in many rules make a hundred times the request', () => {
    const request = withRules(500, 93);
    expect(bytesOf(request)).toBeLessThan(2_000_000);
    expect(() => resolvePolicies(request)).toThrow(TooLarge);
  });

  it('are resolved as long as they fit into one response', () => {
    const { rules } = resolvePolicies(withRules(15, 93));
    expect(rules).toHaveLength(15);
    expect(bytesOf(rules)).toBeGreaterThan(BYTES_MAX / 2);
  });

  it('name the limit and the fix when they are rejected', () => {
    const message = expect.stringMatching(/^must .*16777216 bytes.*: use fewer rules, or shorter values$/);
    const fieldErrors = [{ field: 'connectionId', message, code: 'reference' }];
    const fault = expect.objectContaining({ code: 'INVALID_REQUEST', fieldErrors });
    expect(() => resolvePolicies(withRules(500, 93))).toThrow(fault);
  });

  it('are rejected when one value fills the templates of very many files', () => {
    const files = Object.fromEntries(namesOf(20_000).map((name) => [name, '{{ v }}']));
    const request = { ...REQUEST, runtimeParams: { v: 'x'.repeat(10_000) } };
    const clsConfig = { filePathTemplates: files };
    expect(() => resolvePolicies({ ...request, tokenPolicies: { cls: clsConfig } })).toThrow(TooLarge);
  });

  it('are rejected when one list of values counts in the connections of many definitions', () => {
    const v = Array.from({ length: 10_000 }, () => 'x'.repeat(100));
    const clsConfig = { connectionTemplate: 'db://host/db', params: { v: '' } };
    const assignments = namesOf(500).map((_, index) => assigned(index, { clsConfig }));
    expect(() => resolvePolicies({ ...REQUEST, assignments, runtimeParams: { v } })).toThrow(TooLarge);
  });

  it('are rejected when a template without values gives a reason for each of very many files', () => {
    const filePathTemplates = Object.fromEntries(
      namesOf(60_000).map((name) => [name.padEnd(200, 'n'), '{{ v }}']),
    );
    expect(() => resolvePolicies({ ...REQUEST, tokenPolicies: { cls: { filePathTemplates } } })).toThrow(
      TooLarge,
    );
  });
});

describe('a conflict of very many definitions', () => {
  const assignments = namesOf(1000).map((name, index) => assigned(index, { slsConfig: { schema: name } }));
  const { trace, refusals } = resolvePolicies({ ...REQUEST, assignments });

  it('names ten of them, and the number of the others', () => {
    const message = refusals[0]?.message ?? '';
    expect(message).toMatch(/^"0n+" \(usa_0\) and "100n+" \(usa_100\) and /);
    expect(message).toMatch(/ and 990 more are equally specific, and their schema-level configs differ\.$/);
    expect(message.match(/usa_/g)).toHaveLength(10);
  });

  it('has a trace that grows with their number and not with its square', () => {
    expect(trace.filter(({ outcome }) => outcome === 'conflict')).toHaveLength(1000);
    expect(bytesOf(trace)).toBeLessThan(4_000_000);
  });
});
