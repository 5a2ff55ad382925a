import { describe, expect, it } from 'vitest';
import { createHeaderCache } from './headerCache.js';
import type { ResourceHeader } from './resourceDocument.js';

const now = new Date('2026-03-01T12:00:00Z');

function headerOf(_id: string, shareCount = 0): ResourceHeader {
  const owner = {
    ownerId: 'ou_a',
    ownerKey: 'u:a',
    ownerType: 'organization',
    ownerTenantKey: null,
  } as const;
  const target = { scope: 'all_org_users', subject: 's', targetId: null, tenantKey: null } as const;
  const share = {
    id: 'sh',
    ...target,
    role: 'VIEWER',
    expiresAt: null,
    createdAt: now,
    createdBy: 'ou_a',
  } as const;
  return {
    _id,
    organizationId: 'o_one',
    projectId: 'p_one',
    tenantId: null,
    title: 'T',
    description: '',
    tags: [],
    isPrivate: true,
    ...owner,
    createdBy: 'ou_a',
    createdAt: now,
    updatedAt: now,
    version: 1,
    revision: 1,
    shares: Array.from({ length: shareCount }, () => share),
  };
}

describe('what is remembered of resources', () => {
  it('is found in its project alone, until it is forgotten', () => {
    const cache = createHeaderCache();
    cache.keep(headerOf('d_a'));
    expect(cache.find('p_one', 'd_a')).toEqual(headerOf('d_a'));
    expect(cache.find('p_two', 'd_a')).toBeUndefined();
    cache.forget('d_a');
    expect(cache.find('p_one', 'd_a')).toBeUndefined();
    cache.forget('d_a');
  });

  it('is the latest, without the body', () => {
    const cache = createHeaderCache();
    cache.keep(headerOf('d_a', 3));
    cache.keep({ ...headerOf('d_a', 2), body: '{"large":1}', revision: 2 });
    expect(cache.find('p_one', 'd_a')).toEqual({ ...headerOf('d_a', 2), revision: 2 });
  });

  it('is bounded: the least recently kept go first, and very large ones are not kept', () => {
    const cache = createHeaderCache();
    const kept = (index: number) => cache.find('p_one', `d_${index}`) !== undefined;
    const indexes = Array.from({ length: 1000 }, (_, index) => index);
    for (const index of indexes)
      cache.keep({ ...headerOf(`d_${index}`, 100), description: 'x'.repeat(5000) });
    const count = indexes.filter(kept).length;
    expect(count).toBeGreaterThan(500);
    expect(count).toBeLessThan(800);
    expect(indexes.filter(kept)).toEqual(indexes.slice(-count));
    cache.keep(headerOf('d_999', 1000));
    expect(kept(999)).toBe(false);
    expect(kept(998)).toBe(true);
  });
});
