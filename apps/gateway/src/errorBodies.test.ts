import {
  AppError,
  ERROR_BODIES,
  ERROR_STATUS,
  invalidField,
  ProblemBody,
  type ErrorCode,
  type RouteArea,
} from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { acceptsProblem, writeError } from './errorBodies.js';

const AREAS = Object.keys(ERROR_BODIES) as RouteArea[];
const CODES = Object.keys(ERROR_STATUS) as ErrorCode[];
const everything = (code: ErrorCode) =>
  new AppError(code, {
    fieldErrors: [{ field: 'shares[1].role', message: 'is required' }],
    blockedBy: [{ id: 'd_1', title: 'Sales' }],
    cause: new Error('mongodb://secret-host'),
  });

const write = (error: AppError, area: RouteArea, isProblem = false) => {
  const { contentType, body } = writeError(error, { area, isProblem, requestId: 'r1' });
  return { contentType, body, value: JSON.parse(body) as Record<string, unknown> };
};

describe('an error body', () => {
  it.each(AREAS)('of %s has the declared form for every code, and nothing beside it', (area) => {
    for (const error of CODES.flatMap((code) => [new AppError(code), everything(code)])) {
      const { contentType, body, value } = write(error, area);
      expect(contentType).toBe('application/json');
      expect(z.strictObject(ERROR_BODIES[area].shape).parse(value)).toEqual(value);
      expect(body).not.toContain('secret-host');
    }
  });

  it.each(AREAS)('of %s is a problem for who asks, with the same code', (area) => {
    for (const error of CODES.flatMap((code) => [new AppError(code), everything(code)])) {
      const { contentType, value } = write(error, area, true);
      expect(contentType).toBe('application/problem+json');
      expect(z.strictObject(ProblemBody.shape).parse(value)).toEqual(value);
      expect(value).toMatchObject({ status: error.status, code: error.code, detail: error.message });
    }
  });

  it('of management says what the fields are about, and leaves out what there is not', () => {
    expect(write(invalidField('title', 'must not be blank'), 'management').value).toEqual({
      error: 'The request is not valid',
      details: 'title: must not be blank',
      code: 'INVALID_REQUEST',
      fieldErrors: [{ field: 'title', message: 'must not be blank' }],
      requestId: 'r1',
    });
    expect(write(new AppError('NOT_FOUND'), 'management').value).toEqual({
      error: 'Not found',
      code: 'NOT_FOUND',
      requestId: 'r1',
    });
  });

  it('of tenant users has every field always', () => {
    expect(write(new AppError('FORBIDDEN'), 'tenantUsers').value).toEqual({
      error: 'Insufficient permissions',
      details: '',
      code: 'FORBIDDEN',
      fieldErrors: [],
      requestId: 'r1',
    });
  });

  it('of tokens has the message alone', () => {
    expect(write(new AppError('UNAUTHENTICATED'), 'token').value).toEqual({
      error: 'Missing or invalid access token',
      requestId: 'r1',
    });
  });

  it('names a hundred fields at most, and three in words', () => {
    const fieldErrors = Array.from({ length: 500 }, (_, index) => ({
      field: `shares[${index}]`,
      message: 'is wrong',
    }));
    const { value } = write(new AppError('INVALID_REQUEST', { fieldErrors }), 'management');
    expect(value['fieldErrors']).toHaveLength(100);
    expect(value['details']).toBe(
      'shares[0]: is wrong; shares[1]: is wrong; shares[2]: is wrong; and 497 more',
    );
  });
});

describe('an Accept header', () => {
  it.each([
    'application/problem+json',
    'application/json, application/problem+json',
    'Application/Problem+JSON; q=0.5',
    'text/html;q=0, application/problem+json;charset=utf-8',
  ])('%s asks for problems', (accept) => {
    expect(acceptsProblem(accept)).toBe(true);
  });

  it.each([
    undefined,
    '*/*',
    'application/*',
    'application/json',
    'application/problem+json;q=0',
    'application/problem+json; q=0.000, */*',
    'application/problem+xml',
    'text/plain;a=application/problem+json',
  ])('%s does not', (accept) => {
    expect(acceptsProblem(accept)).toBe(false);
  });
});
