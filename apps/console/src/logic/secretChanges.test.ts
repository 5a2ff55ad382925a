import { describe, expect, it } from 'vitest';
import { changesSecret } from './secretChanges.js';

const former = { params: { 'key@secret': '***', region: 'north' }, clsConfig: null };

describe('a change of a form', () => {
  it.each([
    ['replaces the secret of an assignment', { params: { 'key@secret': 'new', region: 'north' } }],
    ['removes a secret', { params: { region: 'north' } }],
    ['adds a secret within a definition', { clsConfig: { params: { 'password@secret': 'new' } } }],
    ['sets the password of a connection', { password: 'new' }],
    ['sets the token of a remote', { token: 'new' }],
  ])('changes a secret if it %s', (_, changes) => {
    expect(changesSecret(former, changes)).toBe(true);
  });

  it.each([
    ['keeps the stored secret', { params: { 'key@secret': '***', region: 'south' } }],
    ['has none', { title: 'Sales', tags: ['a'] }],
  ])('changes no secret if it %s', (_, changes) => {
    expect(changesSecret(former, changes)).toBe(false);
  });
});
