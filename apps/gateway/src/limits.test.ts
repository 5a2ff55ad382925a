import { describe, expect, it } from 'vitest';
import { createRateLimit } from './limits.js';

describe('a rate limit', () => {
  it('counts a batch as its operations, and reports the later numbers alone', async () => {
    const limit = createRateLimit('project', 10);
    const headers: string[] = [];
    await limit?.count('p_1', headers);
    await limit?.count('p_1', headers, 8);
    expect(headers.filter((_, index) => index % 2 === 0)).toEqual(['RateLimit-Policy', 'RateLimit']);
    expect(headers[3]).toMatch(/^"project";r=1;t=\d+$/);
    await expect(limit?.count('p_1', headers, 2)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(headers[3]).toMatch(/^"project";r=0;t=\d+$/);
    await limit?.count('p_2', []);
  });
});
