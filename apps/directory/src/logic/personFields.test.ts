import { describe, expect, it } from 'vitest';
import { fold } from './fold.js';
import { foldPerson, localPartOf } from './personFields.js';

describe('folding', () => {
  it('makes texts equal that differ in case or in how a letter is composed', () => {
    expect(fold('ÄRNE')).toBe(fold('a\u0308rne'));
    expect(fold('Straße')).toBe('straße');
  });

  it('keeps name and e-mail as they were given beside their folded forms', () => {
    expect(foldPerson({ name: 'Ada B', email: 'Ada@X.test' })).toEqual({
      name: 'Ada B',
      nameFolded: 'ada b',
      email: 'Ada@X.test',
      emailFolded: 'ada@x.test',
      searchTexts: ['ada b', 'ada@x.test'],
    });
  });
});

describe('the local part of an e-mail', () => {
  it('is what stands before the last @', () => {
    expect(localPartOf('nell.b+x@north.test')).toBe('nell.b+x');
  });
});
