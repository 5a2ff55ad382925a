import { routes } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { createEndpoint } from './endpoint.js';

describe('the route table', () => {
  it('has a type for every query parameter that is no text', () => {
    const typed = routes.flatMap((route) =>
      [...createEndpoint(route).queryTypes]
        .filter(([, type]) => type !== 'text')
        .map(([name, type]) => `${name}: ${type}`),
    );
    expect([...new Set(typed)].toSorted()).toEqual([
      'active: boolean',
      'from: number',
      'includeMembers: boolean',
      'includeTotal: boolean',
      'isPrivate: boolean',
      'limit: number',
      'offset: number',
      'page: number',
      'pageSize: number',
      'to: number',
      'validateOnly: boolean',
    ]);
  });
});
