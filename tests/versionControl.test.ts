import type { AuditEvent } from '@gatehouse/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApi, succeeded, type Api } from './src/api.js';
import { forms, type TestServer } from './src/servers.js';
import { makeVersionedProject, type Saved, type VersionedProject } from './src/versionControl/world.js';

const UPDATED = 'management.version_control.updated.v1';
const TEMPLATE = { sheets: [{ title: 'One', id: 's1' }], filters: [], ä: { z: 1, a: null } };

describe.each(forms)('version control ($form)', ({ start }) => {
  let server: TestServer;
  let api: Api;
  let project: VersionedProject;

  beforeAll(async () => {
    server = await start();
    api = await createApi(server.credentials);
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(async () => {
    project = await makeVersionedProject(server, api);
  });

  const committed: VersionedProject['createCommitted'] = (...given) => project.createCommitted(...given);

  describe('of a project', () => {
    it('does not exist until it is set up, and then has its settings', async () => {
      expect((await project.admin.get('/version-control')).status).toBe(404);
      const put = await project.put({});
      expect(put.status).toBe(200);
      expect(put.body.versionControl).toMatchObject({
        projectId: project.projectId,
        commitOnSave: 'optional',
        branch: 'main',
        remote: null,
        lastPush: null,
        version: 1,
      });
      const read = await project.admin.get('/version-control');
      expect(read.body).toEqual(put.body);
      expect(read.headers.get('etag')).toBe(put.headers.get('etag'));
    });

    it('is replaced as a whole, with its version, and ignores an equal value', async () => {
      await project.put({ commitOnSave: 'required', branch: 'trunk' });
      expect(
        (await project.put({ commitOnSave: 'required', branch: 'trunk' })).body.versionControl.version,
      ).toBe(1);
      expect((await project.put({})).body.versionControl).toMatchObject({
        version: 2,
        commitOnSave: 'optional',
        branch: 'main',
      });
      const stale = { 'if-match': '"1-00000000"' };
      expect((await project.admin.put('/version-control', {}, stale)).status).toBe(412);
      expect((await project.admin.delete('/version-control', undefined, stale)).status).toBe(412);
    });

    it('publishes an event for each change, with the new settings, and for its end', async () => {
      await project.put({ commitOnSave: 'required' });
      await project.put({ commitOnSave: 'required' });
      await project.put({ commitOnSave: 'off' });
      succeeded(await project.admin.delete('/version-control'));
      const query = `?type=management.version_control.*&projectId=${project.projectId}&order=asc`;
      const told = async () =>
        succeeded(await project.admin.get<{ auditEvents: AuditEvent[] }>(`/audit-events${query}`))
          .auditEvents;
      await expect.poll(async () => (await told()).length).toBe(3);
      const { projectId } = project;
      const state = { projectId, hasRemote: false };
      const { adminOrgUserId: actorId } = server.credentials;
      expect(await told()).toMatchObject([
        { type: UPDATED, actorId, data: { ...state, commitOnSave: 'required', version: 1 } },
        { type: UPDATED, actorId, data: { ...state, commitOnSave: 'off', version: 2 } },
        { type: 'management.version_control.removed.v1', actorId, data: { ...state, version: 3 } },
      ]);
    });

    it('ends, and finds its history when it is set up again', async () => {
      await project.put({});
      const { id } = await committed('Before');
      expect((await project.admin.delete('/version-control')).body).toMatchObject({
        deletedVersionControl: { projectId: project.projectId },
      });
      expect((await project.admin.get('/version-control')).status).toBe(404);
      expect((await project.versions(id)).versions).toEqual([]);
      const saved = succeeded(await project.update(id, { title: 'Between', commitMessage: 'Not committed' }));
      expect(saved.versionControl).toEqual({ status: 'not_configured', commitSha: null, commitUrl: null });
      await project.put({});
      await project.update(id, { title: 'After', commitMessage: 'After' });
      expect((await project.versions(id)).versions.map(({ message }) => message)).toEqual([
        'After',
        'Before',
      ]);
    });

    it.each([
      ['a branch that is none', { branch: 'a..b' }, 'branch'],
      ['a branch like an option', { branch: '--upload-pack=x' }, 'branch'],
      ['a setting that there is not', { commitOnSave: 'always' }, 'commitOnSave'],
      ['ssh', { remote: { url: 'ssh://git@example.com/a/b.git' } }, 'remote.url'],
      ['the short form of ssh', { remote: { url: 'git@example.com:a/b.git' } }, 'remote.url'],
      ['a file', { remote: { url: 'file:///etc' } }, 'remote.url'],
      ['a helper program', { remote: { url: 'ext::sh -c touch% /tmp/owned' } }, 'remote.url'],
      ['plain http to elsewhere', { remote: { url: 'http://example.com/a.git' } }, 'remote.url'],
      [
        'credentials in the address',
        { remote: { url: 'https://user:secret@example.com/a.git' } },
        'remote.url',
      ],
      ['a host that is not allowed', { remote: { url: 'https://example.com/a.git' } }, 'remote.url'],
      [
        'a host that is not allowed, unasked',
        { remote: { url: 'https://10.0.0.1/a.git' }, verify: false },
        'remote.url',
      ],
      [
        'a script as the web address',
        { remote: { url: 'https://a.de/a', webUrl: 'javascript:1' } },
        'remote.webUrl',
      ],
    ])('refuses %s', async (_, body, field) => {
      const answer = await project.admin.put<{ code: string; fieldErrors: { field: string }[] }>(
        '/version-control',
        body,
      );
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_REQUEST']);
      expect(answer.body.fieldErrors.map((error) => error.field)).toEqual([field]);
      expect(JSON.stringify(answer.body)).not.toContain('secret');
      expect((await project.admin.get('/version-control')).status).toBe(404);
    });

    it('rejects a branch that conflicts with an existing one', async () => {
      await project.put({ branch: 'main' });
      await committed('First');
      const answer = await project.put({ branch: 'main/next' });
      expect(answer).toMatchObject({ status: 400, body: { fieldErrors: [{ field: 'branch' }] } });
    });

    it('continues from the former branch after a change of the branch', async () => {
      await project.put({});
      const { id } = await committed('On main');
      await project.put({ branch: 'release/1' });
      await project.update(id, { title: 'Next', commitMessage: 'On the release' });
      expect((await project.git('log', '--format=%s', 'release/1')).trim()).toBe('On the release\nOn main');
      expect((await project.git('log', '--format=%s', 'main')).trim()).toBe('On main');
    });
  });

  describe('on saving', () => {
    it('commits exactly the saved content, in stable order, by the user who saved it', async () => {
      await project.put({});
      const { id, sha } = await committed('Begin', {
        template: TEMPLATE,
        tags: ['b', 'a'],
        description: 'd',
      });
      expect(await project.git('show', `main:dashboards/${id}.json`)).toBe(
        `${JSON.stringify(
          {
            description: 'd',
            id,
            isDataApp: false,
            tags: ['b', 'a'],
            template: { filters: [], sheets: [{ id: 's1', title: 'One' }], ä: { a: null, z: 1 } },
            title: 'Sales',
          },
          null,
          2,
        )}\n`,
      );
      expect((await project.git('log', '-1', '--format=%H %an <%ae> %s', 'main')).trim()).toBe(
        `${sha} Administrator <admin@example.com> Begin`,
      );
      expect(await project.git('fsck', '--strict', '--no-dangling', '--no-progress')).toBe('');
    });

    it('returns the result of the commit, and none if none was requested', async () => {
      await project.put({});
      const { id } = await committed('First');
      const update = async (fields: Record<string, unknown>) => succeeded(await project.update(id, fields));
      const path = `/api/management/v1/dashboards/${id}/versions/`;
      const changed = await update({ title: 'Other', commitMessage: 'Second' });
      const { commitSha } = changed.versionControl ?? {};
      expect(changed.versionControl).toEqual({
        status: 'committed',
        commitSha,
        commitUrl: `${path}${commitSha}`,
      });
      expect((await project.git('rev-parse', 'main')).trim()).toBe(commitSha);
      const same = { status: 'unchanged', commitSha, commitUrl: `${path}${commitSha}` };
      expect((await update({ title: 'Other', commitMessage: 'Again' })).versionControl).toEqual(same);
      expect((await update({ isPrivate: false, commitMessage: 'No content' })).versionControl).toEqual(same);
      expect(await update({ title: 'Without' })).not.toHaveProperty('versionControl');
      expect((await update({ commitMessage: 'What was saved before' })).versionControl?.status).toBe(
        'committed',
      );
      expect((await project.versions(id)).versions[0]).toMatchObject({ message: 'What was saved before' });
    });

    it('rejects a save without a required message', async () => {
      await project.put({ commitOnSave: 'required' });
      const refused = [400, 'COMMIT_MESSAGE_REQUIRED'];
      const outcome = ({ status, body }: { status: number; body: Partial<Saved> }) => [status, body.code];
      const { id, version } = await committed('First');
      expect(outcome(await project.create())).toEqual(refused);
      expect(outcome(await project.update(id, { title: 'Other' }))).toEqual(refused);
      expect(outcome(await project.admin.post<Saved>(`/dashboards/${id}/duplicate`, {}))).toEqual(refused);
      expect(await project.dashboard(id)).toMatchObject({ version, title: 'Sales' });
      const { body } = await project.admin.get<{ dashboards: object[] }>('/dashboards');
      expect(body.dashboards).toHaveLength(1);
      const copy = await project.admin.post<Saved>(`/dashboards/${id}/duplicate`, { commitMessage: 'Copy' });
      expect(copy.body.versionControl?.status).toBe('committed');
    });

    it('commits nothing if it is off, or if there is no repository', async () => {
      const none = { status: 'not_configured', commitSha: null, commitUrl: null };
      expect(succeeded(await project.create({ commitMessage: 'x' })).versionControl).toEqual(none);
      await project.put({ commitOnSave: 'off' });
      expect(succeeded(await project.create({ commitMessage: 'x' })).versionControl).toEqual(none);
    });

    it('rejects a message that is blank, too long or not storable', async () => {
      await project.put({});
      for (const commitMessage of ['', ' ', 'x'.repeat(5001), 'a\0b', 7]) {
        const { status, body } = await project.create({ commitMessage });
        expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
      }
      expect((await project.git('for-each-ref')).trim()).toBe('');
    });

    it('keeps every commit of concurrent updates, and the latest version of each dashboard', async () => {
      await project.put({});
      const dashboards = await Promise.all([1, 2, 3].map((n) => committed(`Make ${n}`)));
      const updates = dashboards.flatMap(({ id }) =>
        Array.from({ length: 8 }, async (_, n) => {
          const { body } = await project.update(id, { title: `T${n}`, commitMessage: `Title ${n} of ${id}` });
          return body;
        }),
      );
      const saved = await Promise.all(updates);
      const log = await project.git('log', '--format=%H %s', 'main');
      for (const { dashboard, versionControl } of saved) {
        expect(versionControl?.status).toBe('committed');
        expect(log).toContain(
          `${versionControl?.commitSha} Title ${dashboard.title.slice(1)} of ${dashboard.id}`,
        );
      }
      for (const { id } of dashboards) {
        const { title } = await project.dashboard(id);
        expect(JSON.parse(await project.git('show', `main:dashboards/${id}.json`))).toMatchObject({ title });
      }
      expect(await project.git('fsck', '--strict', '--no-dangling', '--no-progress')).toBe('');
    });

    it('accepts a template of a mebibyte', async () => {
      await project.put({});
      const template = { text: 'x'.repeat(1_048_000) };
      const { id } = await committed('Large', { template });
      const file = JSON.parse(await project.git('show', `main:dashboards/${id}.json`)) as {
        template: object;
      };
      expect(file.template).toEqual(template);
    });
  });
});
