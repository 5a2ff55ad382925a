import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { memberOf } from '../admission/caller.js';
import type { GatewayResponse } from '../respond.js';
import { Compression } from './compression.js';

const response = (body: string, isFixed: boolean): GatewayResponse => ({
  status: 200,
  contentType: 'application/json',
  entityTag: null,
  body,
  headers: [],
  isFixed,
});
const caller = memberOf('o_1');
const text = 'Revenue by region. '.repeat(20_000);

describe('compression', () => {
  it('compressed a page again for each request, which occupied both cores', async () => {
    const compression = new Compression();
    const forms = await Promise.all([1, 2, 3].map(() => compression.run(caller, response(text, true))));
    expect(gunzipSync(forms[0] ?? '').toString()).toBe(text);
    expect(new Set(forms).size).toBe(1);
  });

  it('compressed the records of one caller in all threads at once', async () => {
    const compression = new Compression();
    const order: string[] = [];
    const run = async (organizationId: string) => {
      await compression.run(memberOf(organizationId), response(text, false));
      order.push(organizationId);
    };
    await Promise.all([...Array.from({ length: 20 }, () => run('o_flood')), run('o_other')]);
    // The share that runs the fewest is next.
    expect(order.indexOf('o_other')).toBeLessThan(3);
  });
});
