import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded, type Api } from './src/api.js';
import { addOrgUser, type Person } from './src/people.js';
import { openRawRequest } from './src/rawRequest.js';
import { forms, type TestServer } from './src/servers.js';

/** Longer than a gateway uses the rights that a request had when it arrived. */
const UPLOAD_MS = 1500;

describe.each(forms)('a request whose body arrives slowly ($form)', ({ start }) => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await start();
    api = await createApi(server.credentials);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** Sends the first half of a creation, makes a change, and sends the rest. */
  async function uploadDuring({ session }: Person, change: () => Promise<unknown>): Promise<number> {
    const body = JSON.stringify({ title: 'Uploaded' });
    const { outgoing, answer } = openRawRequest(api.baseUrl, ['POST', '/api/management/v1/dashboards'], {
      authorization: `Bearer ${session.token}`,
      'content-type': 'application/json',
      'content-length': String(body.length),
    });
    outgoing.write(body.slice(0, 5));
    await sleep(UPLOAD_MS);
    await change();
    outgoing.end(body.slice(5));
    return (await answer).status;
  }
  const patch = async ({ id }: Person, change: object) =>
    succeeded(await api.admin.patch(`/org-users/${id}`, change));

  it('was served to a user who was deactivated meanwhile', async () => {
    const author = await addOrgUser(api, 'AUTHOR');
    expect(await uploadDuring(author, () => patch(author, { isActive: false }))).toBe(401);
  });

  it('was served with the role that its user had lost meanwhile', async () => {
    const author = await addOrgUser(api, 'AUTHOR');
    expect(await uploadDuring(author, () => patch(author, { role: 'VIEWER' }))).toBe(403);
  });

  it('is served to a user whose rights stay', async () => {
    const author = await addOrgUser(api, 'AUTHOR');
    expect(await uploadDuring(author, async () => {})).toBe(201);
  });
});
