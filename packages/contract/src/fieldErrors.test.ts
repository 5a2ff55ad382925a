import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fieldErrorsOf, rule } from './fieldErrors.js';
import { SlsConfig } from './securityConfig.js';
import { Email, Id, label, ParamValue, SemanticDomainAccess, text } from './vocabulary.js';

const Request = z
  .strictObject({
    id: Id,
    title: label(5),
    count: z.number().int().min(1).max(9).optional(),
    flag: z.boolean().optional(),
    tags: z.array(text(1, 3)).min(1).max(2).optional(),
    type: z.enum(['a', 'b']).optional(),
    at: z.iso.datetime({ offset: true }).optional(),
    email: Email.optional(),
    byName: z.record(text(1, 3), z.number()).optional(),
    param: ParamValue.optional(),
    access: SemanticDomainAccess.optional(),
    odd: z
      .number()
      .refine((value) => value % 2 === 1, rule('must be odd', 'range'))
      .optional(),
    sls: SlsConfig.optional(),
    scope: z.literal('org').optional(),
    tenantId: Id.optional(),
  })
  .superRefine(({ scope, tenantId }, context) => {
    if (scope === undefined || tenantId === undefined) return;
    const path = ['tenantId'];
    const input = tenantId;
    context.addIssue({ code: 'custom', path, input, ...rule('does not go with scope org', 'conflict') });
  });

/** The errors of a request that is valid except for `wrong`. */
function errorsOf(wrong: object): string[] {
  const parsed = Request.safeParse({ id: 'd_1', title: 'Sales', ...wrong });
  if (parsed.success) return [];
  return fieldErrorsOf(parsed.error).map(({ field, message, code }) => `${code}: ${field} ${message}`);
}

describe('a fault in a field', () => {
  it.each<[object, string]>([
    [{ id: undefined }, 'required: id is required'],
    [{ title: 7 }, 'type: title must be a string'],
    [{ title: 'too long' }, 'length: title must be 5 characters or fewer'],
    [{ title: '  ' }, 'length: title must not be blank'],
    [{ count: '1' }, 'type: count must be a number'],
    [{ count: 1.5 }, 'type: count must be a whole number'],
    [{ count: 0 }, 'range: count must be 1 or more'],
    [{ count: 10 }, 'range: count must be 9 or less'],
    [{ flag: 'yes' }, 'type: flag must be a boolean'],
    [{ tags: {} }, 'type: tags must be an array'],
    [{ tags: [] }, 'length: tags must not be empty'],
    [{ tags: ['a', 'b', 'c'] }, 'length: tags must have 2 items or fewer'],
    [{ tags: ['a', 'long'] }, 'length: tags[1] must be 3 characters or fewer'],
    [{ type: 'c' }, 'enum: type must be one of a, b'],
    [{ at: 'today' }, 'format: at must be an ISO 8601 date and time with Z or an offset'],
    [{ email: 'nobody' }, 'format: email must be an email address'],
    [{ id: 'a b' }, 'format: id must be 1 to 64 letters, digits, hyphens or underscores'],
    [{ byName: { long: 1 } }, 'length: byName.long has a key that must be 3 characters or fewer'],
    [{ param: {} }, 'type: param must be a string, a number, a boolean or an array'],
    [{ param: 'x'.repeat(10_001) }, 'length: param must be 10000 characters or fewer'],
    [{ param: ['a', 1] }, 'type: param does not have one of the allowed forms'],
    [{ access: {} }, 'required: access.mode is required'],
    [{ access: { mode: 'some' } }, 'enum: access.mode must be one of all, none, include, exclude'],
    [{ access: { mode: 'all', domains: [] } }, 'conflict: access.domains does not go with mode all'],
    [{ access: { mode: 'none', domains: ['a'] } }, 'conflict: access.domains does not go with mode none'],
    [{ odd: 2 }, 'range: odd must be odd'],
    [{ extra: 1 }, 'unknown: extra is not a known field'],
    [{ has: 1 }, 'unknown: has is not a known field'],
    [{ title: '' }, 'length: title must not be empty'],
    [{ title: [] }, 'type: title must be a string'],
    [{ title: ' '.repeat(6) }, 'length: title must be 5 characters or fewer'],
    [{ title: '\0'.repeat(6) }, 'length: title must be 5 characters or fewer'],
    [{ tags: '' }, 'type: tags must be an array'],
    [{ tags: [[]] }, 'type: tags[0] must be a string'],
    [{ count: 2 ** 60 }, 'range: count must be 9 or less'],
    [{ count: -(2 ** 60) }, 'range: count must be 1 or more'],
    [{ email: 'a'.repeat(255) }, 'format: email must be an email address'],
    [{ scope: 'org', tenantId: 'a b' }, 'conflict: tenantId does not go with scope org'],
  ])('is described with its rule and its code: %j', (wrong, expected) => {
    expect(errorsOf(wrong)).toEqual([expected]);
  });
});

it('in a field that does not go with its mode leaves the unknown ones beside it unknown', () => {
  expect(errorsOf({ access: { mode: 'all', domains: [], extra: 1 } })).toEqual([
    'conflict: access.domains does not go with mode all',
    'unknown: access.extra is not a known field',
  ]);
});

it('lists every rule that an object breaks', () => {
  expect(
    errorsOf({ sls: { schema: 'a', schemaTemplate: 'b', allowedSchemas: [], defaultSchema: 'c' } }),
  ).toEqual([
    'conflict: sls use schema or schemaTemplate, not both',
    'enum: sls defaultSchema must be one of allowedSchemas',
  ]);
});

it('prefixes the fields with the path of the value', () => {
  const parsed = z.strictObject({ port: z.number() }).safeParse({});
  expect(parsed.error && fieldErrorsOf(parsed.error, ['config'])).toEqual([
    { field: 'config.port', message: 'is required', code: 'required' },
  ]);
});

it.each([
  ['an unknown field', (key: string) => ({ [key]: 1 }), (shown: string) => shown],
  ['an entry', (key: string) => ({ byName: { [key]: 'x' } }), (shown: string) => `byName.${shown}`],
  ['a field of an option', (key: string) => ({ sls: { [key]: 1 } }), (shown: string) => `sls.${shown}`],
])('truncates a key of any length: %s', (_, wrong, field) => {
  const request = { id: 'd_1', title: 'Sales', ...wrong('\n'.repeat(1_000_000)) };
  const { error } = Request.safeParse(request);
  const faults = error ? fieldErrorsOf(error) : [];
  expect(faults.map((fault) => fault.field)).toContain(field(`${'\n'.repeat(100)}…`));
  expect(JSON.stringify(faults).length).toBeLessThan(1000);
});
