import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROCESS_NAMES, processEntry, SERVICE_NAMES, serviceEntry } from '@gatehouse/contract';
import { expect, it } from 'vitest';
import { parseManifests } from '../manifests/render.mjs';
import { fileWithRegions } from './regions.mjs';

const read = (file: string) => readFileSync(path.resolve(import.meta.dirname, '../../..', file), 'utf8');

/** The first cells of the rows of a table. */
function rowsOf(page: string, header: string): string[][] {
  const [, table = ''] = read(page).split(header);
  const rows = table.split('\n\n')[0]?.split('\n').slice(2) ?? [];
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.replaceAll('`', '').trim()),
  );
}

it('docs/services.md lists the contract of every service', () => {
  const listed = rowsOf('docs/services.md', '| Contract ').map(([name = '']) => name);
  expect(listed.toSorted()).toEqual(SERVICE_NAMES.toSorted());
});

it('docs/architecture.md lists every call between services', () => {
  const listed = rowsOf('docs/architecture.md', '| Caller ').map(([from, to]) => `${from} -> ${to}`);
  const calls = SERVICE_NAMES.flatMap((name) =>
    serviceEntry(name).calls.map((other) => `${name} -> ${other}`),
  );
  expect(listed.toSorted()).toEqual(calls.toSorted());
});

it('docs/containers.md builds the image of every process', () => {
  const [, names = ''] = /^for service in (.*); do$/m.exec(read('docs/containers.md')) ?? [];
  expect(names.split(' ').toSorted()).toEqual(PROCESS_NAMES.toSorted());
});

it('the production overlay lets only those services out that have a setting with hosts', () => {
  const policies = parseManifests(read('infra/k8s/overlays/production/networkPolicies.yaml'));
  const admitted = (name: string): string[] => {
    const policy = policies.find(({ metadata }) => metadata.name === name);
    return policy?.['spec'].podSelector.matchExpressions[0].values;
  };
  const having = (setting: string) =>
    PROCESS_NAMES.filter((name) => processEntry(name).settings?.some((other) => other === setting));
  expect(admitted('databases')).toEqual(having('CONNECTION_HOSTS'));
  expect(admitted('git-remotes')).toEqual(having('REPOSITORY_HOSTS'));
  expect(admitted('webhook-receivers')).toEqual(having('WEBHOOK_HOSTS'));
});

it('replaces a region of a file, and rejects a file without it', () => {
  const { write } = fileWithRegions('list.yaml', { names: '- one\n- two' });
  const present = 'list:\n  # begin names (npm run manifest)\n  - zero\n  # end names\nrest: 1\n';
  expect(write(present)).toBe(
    'list:\n  # begin names (npm run manifest)\n  - one\n  - two\n  # end names\nrest: 1\n',
  );
  expect(() => write('list: []\n')).toThrow('there is no region "names"');
  expect(() => write(null)).toThrow('list.yaml is missing');
});
