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
/** The codes that have a different name in an area. */
const OWN_NAMES: Partial<Record<RouteArea, Partial<Record<ErrorCode, string>>>> = {
  security: { UNAUTHENTICATED: 'AUTH_FAILED', FORBIDDEN: 'PROJECT_ACCESS_DENIED' },
  migration: { NOT_FOUND: 'DASHBOARD_NOT_FOUND' },
};
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
  it.each(AREAS)('of %s has exactly the declared form for every code', (area) => {
    for (const error of CODES.flatMap((code) => [new AppError(code), everything(code)])) {
      const { contentType, body, value } = write(error, area);
      expect(contentType).toBe('application/json');
      expect(z.strictObject(ERROR_BODIES[area].shape).parse(value)).toEqual(value);
      expect(body).not.toContain('secret-host');
    }
  });

  it.each(AREAS)('of %s is a problem with the code of the area when requested', (area) => {
    for (const error of CODES.flatMap((code) => [new AppError(code), everything(code)])) {
      const { contentType, value } = write(error, area, true);
      expect(contentType).toBe('application/problem+json');
      expect(z.strictObject(ProblemBody.shape).parse(value)).toEqual(value);
      const code = OWN_NAMES[area]?.[error.code] ?? error.code;
      expect(value).toMatchObject({ status: error.status, code, detail: error.message });
    }
  });

  it('of management describes the fields and omits absent properties', () => {
    expect(write(invalidField('title', 'must not be blank', 'length'), 'management').value).toEqual({
      error: 'The request is not valid',
      details: 'title: must not be blank',
      code: 'INVALID_REQUEST',
      fieldErrors: [{ field: 'title', message: 'must not be blank', code: 'length' }],
      requestId: 'r1',
    });
    expect(write(new AppError('NOT_FOUND'), 'management').value).toEqual({
      error: 'Not found',
      code: 'NOT_FOUND',
      requestId: 'r1',
    });
  });

  it('of tenant users always has every field', () => {
    expect(write(new AppError('FORBIDDEN'), 'tenantUsers').value).toEqual({
      error: 'Insufficient permissions',
      details: '',
      code: 'FORBIDDEN',
      fieldErrors: [],
      requestId: 'r1',
    });
  });

  it('of tokens has only the message', () => {
    expect(write(new AppError('UNAUTHENTICATED'), 'token').value).toEqual({
      error: 'Missing or invalid access token',
      requestId: 'r1',
    });
  });

  it('of security has its own codes and gives the path of each fault', () => {
    expect(write(new AppError('FORBIDDEN'), 'security').value).toEqual({
      ok: false,
      error: { code: 'PROJECT_ACCESS_DENIED', message: 'Insufficient permissions', details: [] },
      requestId: 'r1',
    });
    const fault = invalidField('rlsConfig.rules[0].expression', 'must be a boolean expression', 'format');
    expect(write(fault, 'security').value).toEqual({
      ok: false,
      error: {
        code: 'INVALID_REQUEST',
        message: 'The request is not valid',
        details: [
          { path: 'rlsConfig.rules[0].expression', message: 'must be a boolean expression', code: 'format' },
        ],
      },
      requestId: 'r1',
    });
    const blocked = new AppError('CONFLICT', { blockedBy: [{ id: 'usa_1', title: 'All tenants' }] });
    expect(write(blocked, 'security').value).toMatchObject({
      error: { code: 'CONFLICT', details: [] },
      blockedBy: [{ id: 'usa_1', title: 'All tenants' }],
    });
  });

  it('of domains has an entry for each field, or one for an error without fields', () => {
    expect(write(invalidField('name', 'must not be blank', 'length'), 'domains').value).toEqual({
      error: 'The request is not valid',
      details: 'name: must not be blank',
      errors: [
        {
          code: 'INVALID_REQUEST',
          message: 'must not be blank',
          severity: 'error',
          hint: '',
          context: { field: 'name', code: 'length' },
        },
      ],
      warnings: [],
      requestId: 'r1',
    });
    expect(write(new AppError('UNAUTHENTICATED'), 'domains').value).toMatchObject({
      details: '',
      errors: [
        {
          code: 'UNAUTHENTICATED',
          message: 'Missing or invalid access token',
          hint: 'Send a valid access token in the Authorization header',
          context: {},
        },
      ],
    });
  });

  it('of validation always has details, and has fields if they are invalid', () => {
    expect(write(new AppError('NOT_FOUND'), 'validation').value).toEqual({
      error: 'Not found',
      code: 'NOT_FOUND',
      details: '',
      requestId: 'r1',
    });
    expect(write(invalidField('dashboardId', 'is required'), 'validation').value).toMatchObject({
      details: 'dashboardId: is required',
      fieldErrors: [{ field: 'dashboardId', message: 'is required' }],
    });
  });

  it('has the code invalid for a fault without a code', () => {
    const error = new AppError('INVALID_REQUEST', { fieldErrors: [{ field: 'a', message: 'is odd' }] });
    expect(write(error, 'token').value['fieldErrors']).toEqual([
      { field: 'a', message: 'is odd', code: 'invalid' },
    ]);
  });

  it('has at most a hundred fields, and three in the details', () => {
    const fieldErrors = Array.from({ length: 500 }, (_, index) => ({
      field: `shares[${index}]`,
      message: 'is invalid',
    }));
    const { value } = write(new AppError('INVALID_REQUEST', { fieldErrors }), 'management');
    expect(value['fieldErrors']).toHaveLength(100);
    expect(value['details']).toBe(
      'shares[0]: is invalid; shares[1]: is invalid; shares[2]: is invalid; and 497 more',
    );
    const lists = (['tenantUsers', 'validation', 'token', 'domains'] as const).map(
      (area) => write(new AppError('INVALID_REQUEST', { fieldErrors }), area).value,
    );
    expect(lists.map(({ fieldErrors: named, errors }) => named ?? errors)).toEqual(
      lists.map(() => expect.objectContaining({ length: 100 }) as unknown),
    );
    const { error } = write(new AppError('INVALID_REQUEST', { fieldErrors }), 'security').value;
    expect(error).toMatchObject({ details: { length: 100 } });
  });
});

describe('an Accept header', () => {
  it.each([
    'application/problem+json',
    'application/json, application/problem+json',
    'Application/Problem+JSON; q=0.5',
    'text/html;q=0, application/problem+json;charset=utf-8',
  ])('%s requests problems', (accept) => {
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
  ])('%s does not request problems', (accept) => {
    expect(acceptsProblem(accept)).toBe(false);
  });
});
