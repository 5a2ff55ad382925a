import { describe, expect, it } from 'vitest';
import { buildTarget } from './target.js';

describe('the target of a request', () => {
  it('has path parameters in the path and all others in the query, encoded', () => {
    const parameters = { id: 'a/b', search: 'x&y=z' };
    expect(buildTarget('/things/{id}/parts', parameters)).toBe('/things/a%2Fb/parts?search=x%26y%3Dz');
  });

  it('has no question mark without a query', () => {
    expect(buildTarget('/things/{id}', { id: 'a' })).toBe('/things/a');
  });
});
