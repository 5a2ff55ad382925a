import { describe, expect, it } from 'vitest';
import { fold, foldPerson, localPartOf } from './foldedFields.js';

describe('folding', () => {
  it('makes texts equal that differ only in case or Unicode composition', () => {
    expect(fold('ÄRNE')).toBe(fold('a\u0308rne'));
    expect(fold('Straße')).toBe('straße');
  });

  it('keeps the original name and e-mail beside their folded forms', () => {
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
  it('is the text before the last @', () => {
    expect(localPartOf('nell.b+x@north.test')).toBe('nell.b+x');
  });
});
