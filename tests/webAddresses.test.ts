import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FieldError, VersionControl, Webhook } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded, unique, type Answer, type Session } from './src/api.js';
import { repository } from './src/docCommands.js';
import { createConnection } from './src/semanticRecords.js';
import { startTestPlatform, type TestServer } from './src/servers.js';

const HOST = '127.0.0.1:9';
const PLAIN = `https://${HOST}/a.git`;
const SERVER = { database: 'sales', user: 'reader' };
const EVENT_TYPES = ['management.tenant.created.v1'];

/** Spellings that a URL parser reads as another address, or silently as the same one. */
const HOSTILE: readonly (readonly [string, string])[] = [
  ['a line feed at the end', `${PLAIN}\n`],
  ['a line feed in the host', `https://127.0\n.0.1:9/a.git`],
  ['a carriage return in the path', `https://${HOST}/a\r.git`],
  ['a header after a line end', `${PLAIN}\r\nX-Planted: 1`],
  ['a tab in the scheme', `ht\ttps://${HOST}/a.git`],
  ['a space at the start', ` ${PLAIN}`],
  ['a space at the end', `${PLAIN} `],
  ['a no-break space', `${PLAIN}\u00a0`],
  ['a byte order mark', `\ufeff${PLAIN}`],
  ['a zero width space in the host', `https://127.0.0\u200b.1:9/a.git`],
  ['a soft hyphen in the host', `https://127.0\u00ad.0.1:9/a.git`],
  ['an override of the direction', `https://${HOST}/\u202egit.a`],
  ['an escape character', `https://${HOST}/\u001ba.git`],
  ['a delete character', `https://${HOST}/\u007fa.git`],
  ['backslashes for slashes', `https:\\\\${HOST}\\a.git`],
  ['a backslash after the host', `https://${HOST}\\@example.com/a.git`],
  ['one slash', `https:/${HOST}/a.git`],
  ['three slashes', `https:///${HOST}/a.git`],
  ['no slashes', `https:${HOST}/a.git`],
  ['a user', `https://user@${HOST}/a.git`],
  ['a user and a password', `https://user:password@${HOST}/a.git`],
  ['a password alone', `https://:password@${HOST}/a.git`],
  ['empty credentials', `https://:@${HOST}/a.git`],
  ['an empty user', `https://@${HOST}/a.git`],
];

type Refusal = Answer<{ fieldErrors?: FieldError[] }>;

/** A field of requests that contains an address, a host or a file. */
interface Field {
  /** As in the body, from the first level on. */
  name: string;
  send(value: string): Promise<Refusal>;
}

/** Values that `renderTemplate` places in a connection string, and that the platform does not use. */
const TEMPLATES = /(?:connectionTemplate|filePathTemplates)$/;

describe('an address in a request', () => {
  let server: TestServer;
  let folder: string;
  let admin: Session;
  let webhookId: string;
  let connectionId: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-addresses-'));
    const settings = {
      WEBHOOK_HOSTS: '127.0.0.1',
      REPOSITORY_HOSTS: '127.0.0.1',
      CONNECTION_HOSTS: '127.0.0.1',
    };
    server = await startTestPlatform({ ...settings, SQLITE_DIR: folder });
    ({ admin } = await createApi(server.credentials));
    const body = { url: PLAIN, eventTypes: EVENT_TYPES, isEnabled: false };
    webhookId = succeeded(await admin.post<{ webhook: Webhook }>('/webhooks', body)).webhook.id;
    const config = { ...SERVER, host: '127.0.0.1' };
    connectionId = (await createConnection(admin, { type: 'postgres', config, catalog: undefined })).id;
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const putRemote = (remote: object) =>
    admin.put<{ fieldErrors?: FieldError[] }>('/version-control', { remote, verify: false });
  const FIELDS: Record<string, Field> = {
    'POST /api/management/v1/webhooks': {
      name: 'url',
      send: (url) => admin.post('/webhooks', { url, eventTypes: EVENT_TYPES, isEnabled: false }),
    },
    'PATCH /api/management/v1/webhooks/{id}': {
      name: 'url',
      send: (url) => admin.patch(`/webhooks/${webhookId}`, { url }),
    },
    'PUT /api/management/v1/webhooks/{id}': {
      name: 'url',
      send: (url) => admin.put(`/webhooks/${webhookId}`, { url }),
    },
    'PUT /api/management/v1/version-control': { name: 'remote.url', send: (url) => putRemote({ url }) },
    'PUT /api/management/v1/version-control ': {
      name: 'remote.webUrl',
      send: (webUrl) => putRemote({ url: PLAIN, webUrl }),
    },
    'POST /api/v1/connections': {
      name: 'config.host',
      send: (host) =>
        admin.post('/api/v1/connections', {
          name: unique('c'),
          type: 'postgres',
          config: { ...SERVER, host },
        }),
    },
    'PATCH /api/v1/connections/{id}': {
      name: 'config.host',
      send: (host) => admin.patch(`/api/v1/connections/${connectionId}`, { config: { ...SERVER, host } }),
    },
    'PUT /api/v1/connections/{id}': {
      name: 'config.host',
      send: (host) => admin.put(`/api/v1/connections/${connectionId}`, { config: { ...SERVER, host } }),
    },
  };

  it.each(
    Object.entries(FIELDS).map(([route, { name, send }]) => [`${route.trim()} ${name}`, name, send] as const),
  )('is refused in every hostile spelling: %s', async (_, name, send) => {
    const outcomes = [];
    for (const [what, value] of HOSTILE) {
      const { status, body } = await send(value);
      outcomes.push([what, status, (body.fieldErrors ?? []).map(({ field }) => field)]);
    }
    expect(outcomes).toEqual(HOSTILE.map(([what]) => [what, 400, [name]]));
  });

  it('leaves nothing behind if it is rejected', async () => {
    const { webhooks } = succeeded(await admin.get<{ webhooks: Webhook[] }>('/webhooks'));
    expect(webhooks.map(({ url }) => url)).toEqual([PLAIN]);
    expect((await admin.get('/version-control')).status).toBe(404);
  });

  it('is stored and shown in its normal form', async () => {
    const body = { url: `HTTPS://0x7f.1:9/a/../b%7E?ü`, eventTypes: EVENT_TYPES, isEnabled: false };
    const { webhook } = succeeded(await admin.post<{ webhook: Webhook }>('/webhooks', body));
    expect(webhook.url).toBe(`https://${HOST}/b%7E?%C3%BC`);
    const updated = await admin.patch<{ webhook: Webhook }>(`/webhooks/${webhook.id}`, {
      url: `https://127.1:9/../c`,
    });
    expect(succeeded(updated).webhook.url).toBe(`https://${HOST}/c`);
    const remote = { url: 'HTTPS://127.1:9/x/../a.git', webUrl: 'https://Example.COM/a/../{sha}?c={sha}' };
    const { versionControl } = succeeded(
      await admin.put<{ versionControl: VersionControl }>('/version-control', { remote, verify: false }),
    );
    expect(versionControl.remote).toMatchObject({ url: PLAIN, webUrl: 'https://example.com/{sha}?c={sha}' });
  });

  it('resolves to no file outside of the folder of the organization, in any spelling', async () => {
    const own = join(folder, server.credentials.organizationId);
    await Promise.all([mkdir(own), mkdir(join(folder, 'o_other'))]);
    await writeFile(join(folder, 'o_other', 'a.db'), '');
    await writeFile(join(folder, 'a.db'), '');
    const refusalOf = async (file: string) => {
      const { id } = await createConnection(admin, { type: 'sqlite', config: { file }, catalog: undefined });
      const { status, body } = await admin.post(`/api/v1/connections/${id}/introspect`, {});
      return { status, body: JSON.stringify(body).replace(/"requestId":"[^"]*"/, '') };
    };
    const missing = await refusalOf('missing.db');
    expect(missing.status).toBe(400);
    for (const file of ['a.db', '../a.db', '../o_other/a.db', 'o_other/a.db', join(folder, 'o_other/a.db')]) {
      expect([file, await refusalOf(file)]).toEqual([file, missing]);
    }
    for (const [, file] of HOSTILE) expect([file, await refusalOf(file)]).toEqual([file, missing]);
  });

  it('is in no other field: add a new one to this table', async () => {
    const document = JSON.parse(await readFile(join(repository, 'docs/openapi.json'), 'utf8')) as Schema;
    const known = Object.entries(FIELDS).map(([route, { name }]) => `${route.trim()} ${name}`);
    const files = ['POST', 'PATCH', 'PUT'].map(
      (method) => `${method} /api/v1/connections${method === 'POST' ? '' : '/{id}'} config.file`,
    );
    const found = findAddressFields(document).filter((field) => !TEMPLATES.test(field));
    expect(found.toSorted()).toEqual([...known, ...files].toSorted());
  });
});

interface Schema {
  [key: string]: Schema;
}
const ADDRESS =
  /^(?:.*(?:url|uri|host|hostname|address|endpoint|origin|(?<!pro)file|path)|(?:url|file)s|filePathTemplates|connectionTemplate)$/i;

/** The fields of request bodies in the OpenAPI document whose name contains address, host or file. */
function findAddressFields(document: Schema): string[] {
  const found = new Set<string>();
  const walk = (
    schema: Schema | undefined,
    path: readonly string[],
    place: { route: string; refs: readonly string[] },
  ) => {
    if (typeof schema !== 'object' || schema === null) return;
    const $ref = schema['$ref'] as unknown as string | undefined;
    if ($ref !== undefined) {
      if (place.refs.includes($ref)) return;
      const target = $ref
        .split('/')
        .slice(1)
        .reduce<Schema | undefined>((part, key) => part?.[key], document);
      walk(target, path, { ...place, refs: [...place.refs, $ref] });
      return;
    }
    for (const [name, field] of Object.entries(schema['properties'] ?? {})) {
      if (ADDRESS.test(name)) found.add(`${place.route} ${[...path, name].join('.')}`);
      walk(field, [...path, name], place);
    }
    for (const key of ['items', 'additionalProperties']) walk(schema[key], path, place);
    for (const key of ['anyOf', 'oneOf', 'allOf'])
      for (const part of Object.values(schema[key] ?? {})) walk(part, path, place);
  };
  for (const [path, item] of Object.entries(document['paths'] ?? {})) {
    for (const [method, operation] of Object.entries(item)) {
      const contents = Object.values(operation['requestBody']?.['content'] ?? {});
      for (const { schema } of contents)
        walk(schema, [], { route: `${method.toUpperCase()} ${path}`, refs: [] });
    }
  }
  return [...found];
}
