import { BODY_LIMIT_BYTES, TEMPLATE_BODY_LIMIT_BYTES } from '@gatehouse/contract';
import { beforeAll, expect, it } from 'vitest';
import { unique } from '../api.js';
import type { StoredBytes } from '@gatehouse/testing';
import { openRawRequest, sendRaw } from '../rawRequest.js';
import { bearer, JSON_TYPE, MANAGEMENT, type PlatformWorld } from './platformWorld.js';

/** A body of exactly so many bytes, whose one field is too long for any schema. */
const bodyOf = (bytes: number, field: string) => {
  const empty = JSON.stringify({ [field]: '' });
  return JSON.stringify({ [field]: 'x'.repeat(bytes - empty.length) });
};

/** How large a body may be, and of which type. */
export function describeBodies(find: () => PlatformWorld): void {
  let settled: StoredBytes;
  beforeAll(async () => {
    settled = await find().observed.readSettled();
  });
  const post = (path: string, headers: Record<string, string>, body: string) => {
    const { observed, author } = find();
    const target: [string, string] = ['POST', MANAGEMENT + path];
    return sendRaw(observed.baseUrl, target, { headers: { ...bearer(author), ...headers }, body });
  };

  const tooLong = { status: 400, body: expect.stringContaining('name') };
  const tooLarge = { status: 413, body: expect.stringContaining('PAYLOAD_TOO_LARGE') };

  it('at 2 MiB, to the byte', async () => {
    const type = { 'content-type': JSON_TYPE };
    expect(await post('/groups', type, bodyOf(BODY_LIMIT_BYTES, 'name'))).toMatchObject(tooLong);
    expect(await post('/groups', type, bodyOf(BODY_LIMIT_BYTES + 1, 'name'))).toMatchObject(tooLarge);
  });

  it('at 4 MiB where there is a template, which itself has 1 MiB', async () => {
    const type = { 'content-type': JSON_TYPE };
    const atLimit = await post('/dashboards', type, bodyOf(TEMPLATE_BODY_LIMIT_BYTES, 'title'));
    expect(atLimit.status).toBe(400);
    const past = await post('/dashboards', type, bodyOf(TEMPLATE_BODY_LIMIT_BYTES + 1, 'title'));
    expect(past).toMatchObject(tooLarge);
    const template = { text: 'x'.repeat(1_048_576) };
    const answer = await post('/dashboards', type, JSON.stringify({ title: 'Large', template }));
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('template')]);
  });

  it('that does not announce its size', async () => {
    const { observed, author } = find();
    const headers = { ...bearer(author), 'content-type': JSON_TYPE, 'transfer-encoding': 'chunked' };
    const raw = openRawRequest(observed.baseUrl, ['POST', `${MANAGEMENT}/groups`], headers);
    raw.outgoing.write(bodyOf(BODY_LIMIT_BYTES + 1, 'name'));
    expect(await raw.answer).toMatchObject(tooLarge);
    raw.abandon();
  });

  it.each([
    ['no type', {}],
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['another character set', { 'content-type': 'application/json; charset=utf-16' }],
    ['a compressed one', { 'content-type': JSON_TYPE, 'content-encoding': 'gzip' }],
  ])('to JSON in UTF-8: %s is 415', async (_, headers) => {
    const answer = await post('/groups', headers, JSON.stringify({ name: 'Team', type: 'ORG_GROUP' }));
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([415, { code: 'UNSUPPORTED_MEDIA_TYPE' }]);
  });

  it('and writes nothing above it', async () => {
    expect(await find().observed.findChanges(settled)).toEqual([]);
  });

  it.each([JSON_TYPE, 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    '%s is taken',
    async (type) => {
      const body = JSON.stringify({ name: unique('Team'), type: 'ORG_GROUP' });
      expect((await post('/groups', { 'content-type': type }, body)).status).toBe(201);
    },
  );
}
