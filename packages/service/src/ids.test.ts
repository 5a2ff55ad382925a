import { ID_PREFIXES, Id, type IdNoun } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { newId, newKey, newSecret } from './ids.js';

const operation = { key: newSecret() };
const nouns = Object.keys(ID_PREFIXES) as IdNoun[];
const everything = (of?: { key: string }) => [
  ...nouns.map((noun) => newId(noun, of)),
  newId('share', of, 'a'),
  newId('share', of, 'b'),
  newKey(of, 'user'),
  newKey(of, 'tenant'),
  newSecret(of),
  newSecret(of, 'other'),
];

describe('ids, keys and secrets', () => {
  it('are new each time', () => {
    const made = [...everything(), ...everything(), ...everything({ key: newSecret() })];
    expect(new Set(made).size).toBe(made.length);
  });

  it('of an operation are equal in each of its runs and differ from those of others', () => {
    expect(everything({ ...operation })).toEqual(everything(operation));
    const made = [...everything(operation), ...everything({ key: newSecret() })];
    expect(new Set(made).size).toBe(made.length);
  });

  it('have the same form with and without an operation', () => {
    expect(everything(operation).map((text) => text.length)).toEqual(everything().map((text) => text.length));
    for (const noun of nouns)
      expect(Id.parse(newId(noun, operation)).startsWith(ID_PREFIXES[noun])).toBe(true);
  });
});
