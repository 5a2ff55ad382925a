import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { EVENT_CATALOGUE } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { recordedChanges, recordName, recordPath } from './auditRecords.js';
import { EVENT_NOUNS, EVENT_TYPES } from './eventTypes.js';

const entry = (type: string, resourceId: string | null = 'x/1') => ({
  type,
  resourceType: type.split('.')[1] ?? '',
  resourceId,
});

describe('the record of an entry', () => {
  it('has an address that a screen has', () => {
    const folder = path.join(import.meta.dirname, '../screens');
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => path.basename(name) === 'routes.ts')
      .map((name) => readFileSync(path.join(folder, name), 'utf8'))
      .join('');
    const screens = [...sources.matchAll(/screen\(\s*'([^']+)'/g)].map(
      ([, screen = '']) => new RegExp(`^${screen.replaceAll(/\$\w+/g, '[^/]+')}$`),
    );
    const paths = EVENT_NOUNS.map((noun) => recordPath(entry(`management.${noun}.updated.v1`)));
    const found = paths.filter((each) => each !== null);
    expect(found.length).toBeGreaterThan(15);
    const lost = found.filter((each) => !screens.some((screen) => screen.test(each)));
    expect(lost).toEqual([]);
  });

  it('has none after its deletion, or without a screen', () => {
    expect(recordPath(entry('management.dashboard.deleted.v1'))).toBeNull();
    expect(recordPath(entry('management.session.ended.v1'))).toBeNull();
    expect(recordPath(entry('management.dashboard.created.v1', null))).toBeNull();
    expect(recordPath(entry('management.constructor.created.v1'))).toBeNull();
  });

  it('has the recorded name and the fields that changed', () => {
    expect(recordName({ title: 'Sales' })).toBe('Sales');
    expect(recordName({ name: 7 })).toBeUndefined();
    const changes = { title: { from: 'a', to: 'b' }, template: { from: null, to: null } };
    expect(recordedChanges({ changes })).toEqual([
      { field: 'title', from: 'a', to: 'b' },
      { field: 'template', from: null, to: null },
    ]);
    expect(recordedChanges({ title: 'Sales' })).toEqual([]);
  });
});

it('offers every type of event', () => {
  expect(EVENT_TYPES).toEqual(Object.keys(EVENT_CATALOGUE));
});
