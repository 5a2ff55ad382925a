import { usePlatform } from '@gatehouse/testing/platform';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BYTES_MAX } from '../limits/logic/byteBudget.js';
import { fieldsOf, ORDERS, startPlatform, type Project } from '../testing/platform.js';

const { platform } = await usePlatform(startPlatform);
let project: Project;
beforeAll(() => void platform.people.tenant('t_north'));
beforeEach(async () => {
  project = await platform.openProject();
});

const NORTH = { kind: 'TENANT', tenantId: 't_north' } as const;
const ON_ORDERS = { type: 'TABLE_LIST' as const, tables: [{ table: 'orders' }] };
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const times = (count: number, text: string) => Array.from({ length: count }, () => text);

describe('a preview of a small request', () => {
  it('is rejected when each of very many rules shows all values', async () => {
    const names = times(93, 'v').map((name, index) => `${name}${index}`);
    const expression = names.map((name) => `tenant_id = {{${name}}}`).join(' or ');
    const rls = { rules: times(500, expression).map((each) => ({ matcher: ON_ORDERS, expression: each })) };
    const runtimeParams = Object.fromEntries(names.map((name) => [name, 'x'.repeat(10_000)]));
    const input = { actor: NORTH, runtimeParams, tokenPolicyInput: { rls }, sql: ORDERS };
    const refusal = await platform.refusalOf(() => project.preview(input));
    expect([refusal.code, fieldsOf(refusal)]).toEqual(['INVALID_REQUEST', ['connectionId']]);
  });

  it('is rejected when rules print one value thousands of times', async () => {
    const expression = times(400, 'tenant_id={{v}}').join(' or ');
    const rlsOf = (count: number) => ({
      rls: { rules: times(count, expression).map((each) => ({ matcher: ON_ORDERS, expression: each })) },
    });
    const runtimeParams = { v: 'x'.repeat(10_000) };
    const few = await project.preview({ actor: NORTH, runtimeParams, tokenPolicyInput: rlsOf(1) });
    expect(bytesOf(few)).toBeGreaterThan(BYTES_MAX / 8);
    const many = { actor: NORTH, runtimeParams, tokenPolicyInput: rlsOf(10) };
    const refusal = await platform.refusalOf(() => project.preview(many));
    expect([refusal.code, fieldsOf(refusal)]).toEqual(['INVALID_REQUEST', ['connectionId']]);
  });

  it('omits a printed rule that is too large for a result, which ended the compiler', async () => {
    const expression = times(800, 'id={{v}}').join(' or ');
    const rls = { rules: [{ matcher: ON_ORDERS, expression }] };
    const runtimeParams = { v: '€'.repeat(10_000) };
    const { rls: shown } = await project.preview({ actor: NORTH, runtimeParams, tokenPolicyInput: { rls } });
    expect(shown.rules.map(({ resolvedExpression }) => resolvedExpression)).toEqual([null]);
  });
});
