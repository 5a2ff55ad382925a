import { AppError } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { readBearer } from './credentials.js';

describe('an Authorization header', () => {
  it.each(['Bearer a.b.c', 'bearer a.b.c', 'BEARER  a.b.c'])('%s contains a token', (header) => {
    expect(readBearer(header)).toBe('a.b.c');
  });

  it.each([undefined, '', 'Bearer', 'Bearer ', 'Basic YTpi', 'Token a.b.c', 'Bearer a b', 'xBearer a'])(
    '%s contains no token',
    (header) => {
      expect(() => readBearer(header)).toThrow(AppError);
    },
  );
});
