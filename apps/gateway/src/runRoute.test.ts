import { AppError, routes } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { createEndpoint } from './endpoint.js';
import { readInput } from './runRoute.js';

function endpointOf(operationId: string) {
  const route = routes.find((line) => line.operationId === operationId);
  if (!route) throw new Error(`No ${operationId}`);
  return createEndpoint(route);
}

const listDashboards = endpointOf('listDashboards');
const read = (query: string) => readInput(listDashboards, { pathValues: [], query, body: {} }).input;

function faultsOf(work: () => unknown) {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error.fieldErrors;
    throw error;
  }
  return undefined;
}

describe('a query', () => {
  it('is coerced by the type of each parameter, through what makes it optional', () => {
    const query = 'search=12&isPrivate=false&limit=5&includeTotal=true&sort=title';
    expect(read(query)).toEqual({
      search: '12',
      isPrivate: false,
      limit: 5,
      includeTotal: true,
      sort: 'title',
    });
  });

  it.each([
    ['limit=', ''],
    ['limit=1e3', '1e3'],
    ['limit=0x10', '0x10'],
    ['limit=%205', ' 5'],
    ['limit=Infinity', 'Infinity'],
    ['limit', ''],
  ])('%s stays text, for the schema to refuse', (query, limit) => {
    expect(read(query)).toEqual({ limit });
  });

  it('true and false are the only booleans', () => {
    expect(read('isPrivate=1')).toEqual({ isPrivate: '1' });
    expect(read('isPrivate=True')).toEqual({ isPrivate: 'True' });
  });

  it('is decoded, pluses too', () => {
    expect(read('search=a%26b+c%2B%C3%A9=d')).toEqual({ search: 'a&b c+é=d' });
    expect(read('&&%73earch=x&')).toEqual({ search: 'x' });
  });

  it('names every parameter that is unknown or given twice', () => {
    expect(faultsOf(() => read('limit=1&colour=red&limit=2&__proto__=1'))).toEqual([
      { field: 'colour', message: 'is not a known query parameter', code: 'unknown' },
      { field: 'limit', message: 'is given more than once', code: 'duplicate' },
      { field: '__proto__', message: 'is not a known query parameter', code: 'unknown' },
    ]);
  });

  it.each(['search=%', 'search=%zz', 'search=%ff', 'search=%ED%A0%80'])(
    '%s is refused, naming the field',
    (query) => {
      expect(faultsOf(() => read(query))).toEqual([
        { field: 'search', message: 'is not valid percent-encoded UTF-8', code: 'format' },
      ]);
    },
  );
});

describe('a body', () => {
  const updateDashboard = endpointOf('updateDashboard');

  it('cannot set a field of the path', () => {
    const parts = { pathValues: ['d_1'], query: '', body: { id: 'd_2', title: 'x' } };
    expect(faultsOf(() => readInput(updateDashboard, parts))).toEqual([
      { field: 'id', message: 'belongs in the path, not in the body', code: 'unknown' },
    ]);
  });

  it('cannot set a field of the query', () => {
    const parts = { pathValues: [], query: '', body: { limit: 3 } };
    expect(faultsOf(() => readInput(listDashboards, parts))).toEqual([
      { field: 'limit', message: 'belongs in the query, not in the body', code: 'unknown' },
    ]);
  });

  it('keeps unknown fields, which the schema names', () => {
    const parts = { pathValues: ['d_1'], query: '', body: { colour: 'red' } };
    expect(readInput(updateDashboard, parts).input).toEqual({ id: 'd_1', colour: 'red' });
  });
});

describe('a path', () => {
  it('is decoded', () => {
    const parts = { pathValues: ['a%2Fb%00'], query: '', body: {} };
    expect(readInput(endpointOf('getDashboard'), parts).input).toEqual({ id: 'a/b\0' });
  });

  it('that cannot be decoded names its parameter', () => {
    const parts = { pathValues: ['g_1', '%c3'], query: '', body: {} };
    expect(faultsOf(() => readInput(endpointOf('removeGroupMember'), parts))?.[0]?.field).toBe('memberId');
  });
});
