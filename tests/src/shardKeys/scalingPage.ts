import { readFile } from 'node:fs/promises';
import type { ShardKey } from '@gatehouse/service';

type Keys = Readonly<Record<string, Readonly<Record<string, ShardKey | null>>>>;

const PAGE = new URL('../../../docs/scaling.md', import.meta.url);

export const readScalingPage = () => readFile(PAGE, 'utf8');

const entriesOf = (keys: Keys) =>
  Object.entries(keys).flatMap(([service, collections]) =>
    Object.entries(collections).map(([collection, key]) => ({ service, collection, key })),
  );

const keyText = (key: ShardKey) =>
  Object.entries(key)
    .map(([field, kind]) => `${field}: ${kind === 1 ? '1' : `'${kind}'`}`)
    .join(', ');

/** The commands that distribute every collection. */
export function commandsOf(keys: Keys): string[] {
  return entriesOf(keys).flatMap(({ service, collection, key }) =>
    key === null ? [] : [`sh.shardCollection('gatehouse_${service}.${collection}', { ${keyText(key)} });`],
  );
}

/** `service.collection` of those that stay on one shard. */
export function unshardedOf(keys: Keys): string[] {
  return entriesOf(keys).flatMap(({ service, collection, key }) =>
    key === null ? [`${service}.${collection}`] : [],
  );
}
