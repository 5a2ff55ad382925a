import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { ErrorForm } from './errorBodies.js';
import { rejectMalformed } from './rejectMalformed.js';

async function responseTo(code: string, form?: ErrorForm) {
  const socket = new PassThrough();
  rejectMalformed(Object.assign(new Error(code), { code }), socket, form);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  return { head, body: JSON.parse(body) as Record<string, unknown> };
}

describe('a request that takes too long to arrive', () => {
  it('gets 408 in the form of its area and with its request id if only its body is missing', async () => {
    const form: ErrorForm = { area: 'security', isProblem: false, requestId: 'r1' };
    const { head, body } = await responseTo('ERR_HTTP_REQUEST_TIMEOUT', form);
    expect(head).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(head).toContain('X-Request-Id: r1');
    expect(body).toMatchObject({ ok: false, error: { code: 'REQUEST_TIMEOUT' }, requestId: 'r1' });
  });

  it('gets 408 in the form of management if its headers are incomplete', async () => {
    const { body } = await responseTo('ERR_HTTP_REQUEST_TIMEOUT');
    expect(body).toMatchObject({ error: 'The request took too long to arrive', code: 'REQUEST_TIMEOUT' });
  });
});

it('headers that are too large get 431 in the form of management, whatever came before', async () => {
  const { head, body } = await responseTo('HPE_HEADER_OVERFLOW', {
    area: 'security',
    isProblem: false,
    requestId: 'r1',
  });
  expect(head).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
  expect(body).toMatchObject({ code: 'HEADERS_TOO_LARGE' });
});
