import type { DashboardContent, DashboardVersion, JsonPatchOperation } from '@gatehouse/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApi, openSession, succeeded, type Api, type Session } from './src/api.js';
import { addOrgUser, addTenantUser } from './src/people.js';
import { forms, type TestServer } from './src/servers.js';
import { makeVersionedProject, type Saved, type VersionedProject } from './src/versionControl/world.js';

interface OneVersion {
  version: DashboardVersion & { content: DashboardContent };
}
interface Diff {
  from: string;
  to: string | null;
  patch: JsonPatchOperation[];
}

describe.each(forms)('the versions of a dashboard ($form)', ({ start }) => {
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

  it('lists the versions in pages, the newest first', async () => {
    await project.put({});
    const { id } = await committed('Version 1');
    await committed('Another dashboard');
    for (const n of [2, 3]) await project.update(id, { title: `T${n}`, commitMessage: `Version ${n}` });
    const first = await project.versions(id, '?limit=2');
    const second = await project.versions(id, `?limit=2&cursor=${first.nextCursor}`);
    expect(second.nextCursor).toBeNull();
    expect([...first.versions, ...second.versions]).toMatchObject(
      [3, 2, 1].map((n) => ({
        message: `Version ${n}`,
        dashboardVersion: n,
        author: { name: 'Administrator', email: 'admin@example.com' },
      })),
    );
  });

  it('reads one, and returns the changes since, and between two', async () => {
    await project.put({});
    const { id, sha } = await committed('One', { template: { a: 1, 'x/y': [1, 2, 3] } });
    const changed = { title: 'Other', template: { 'x/y': [1, 3], b: {} }, commitMessage: 'Two' };
    const { versionControl } = succeeded(await project.update(id, changed));
    succeeded(await project.update(id, { title: 'Third' }));
    const path = `/dashboards/${id}/versions/${sha}`;
    const { version } = succeeded(await project.admin.get<OneVersion>(path));
    expect(version).toMatchObject({
      sha,
      message: 'One',
      content: { id, title: 'Sales', template: { a: 1, 'x/y': [1, 2, 3] } },
    });
    const between = succeeded(await project.admin.get<Diff>(`${path}/diff?to=${versionControl?.commitSha}`));
    expect(between).toEqual({
      from: sha,
      to: versionControl?.commitSha,
      patch: expect.arrayContaining([
        { op: 'replace', path: '/title', value: 'Other' },
        { op: 'remove', path: '/template/a' },
        { op: 'remove', path: '/template/x~1y/1' },
        { op: 'add', path: '/template/b', value: {} },
      ]) as unknown,
    });
    expect(between.patch).toHaveLength(4);
    const since = succeeded(await project.admin.get<Diff>(`${path}/diff`));
    expect(since.to).toBeNull();
    expect(since.patch).toContainEqual({ op: 'replace', path: '/title', value: 'Third' });
  });

  it('restores one as the next version of the dashboard', async () => {
    await project.put({});
    const { id, sha } = await committed('One', { template: { a: 1 }, tags: ['x'] });
    const { body } = await project.update(id, {
      title: 'Other',
      template: null,
      tags: [],
      commitMessage: 'Two',
    });
    const path = `/dashboards/${id}/versions/${sha}/restore`;
    const stale = await project.admin.post(path, {}, { 'if-match': '"1-00000000"' });
    expect(stale.status).toBe(412);
    const { dashboard, versionControl } = succeeded(
      await project.admin.post<Saved>(path, { commitMessage: 'Back to one' }),
    );
    expect(dashboard).toMatchObject({ title: 'Sales', template: { a: 1 }, tags: ['x'], version: 3 });
    expect(versionControl?.status).toBe('committed');
    expect(await project.git('rev-parse', `main^{tree}`)).toBe(
      await project.git('rev-parse', `${sha}^{tree}`),
    );
    expect(body.dashboard.version).toBe(2);
  });

  it('finds no version of another dashboard, another project, or none', async () => {
    await project.put({});
    const { id, sha } = await committed('One');
    const other = await committed('Another');
    const elsewhere = await makeVersionedProject(server, api);
    await elsewhere.put({});
    const { versionControl } = succeeded(await elsewhere.create({ commitMessage: 'Elsewhere' }));
    const blob = (await project.git('rev-parse', `main:dashboards/${id}.json`)).trim();
    for (const name of [other.sha, versionControl?.commitSha, blob, 'main', 'HEAD', '-1', sha.slice(0, 12)]) {
      const path = `/dashboards/${id}/versions/${name}`;
      const answers = await Promise.all([
        project.admin.get(path),
        project.admin.get(`${path}/diff`),
        project.admin.get(`/dashboards/${id}/versions/${sha}/diff?to=${name}`),
        project.admin.post(`${path}/restore`, {}),
      ]);
      expect([name, ...answers.map(({ status }) => status)]).toEqual([name, 404, 404, 404, 404]);
    }
  });

  it('finds no version in a commit with a folder in the place of the file', async () => {
    await project.put({});
    const { id } = await committed('First');
    const blob = (await project.git('rev-parse', `main:dashboards/${id}.json`)).trim();
    const entry = `100644,${blob},dashboards/${id}.json/a`;
    await project.git('update-index', '--add', '--cacheinfo', entry);
    const tree = (await project.git('write-tree')).trim();
    const sha = (await project.git('commit-tree', tree, '-p', 'main', '-m', 'Folder')).trim();
    await project.git('update-ref', 'refs/heads/main', sha);
    const path = `/dashboards/${id}/versions/${sha}`;
    const answers = await Promise.all([
      project.admin.get(path),
      project.admin.get(`${path}/diff`),
      project.admin.post(`${path}/restore`, {}),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect((await project.versions(id)).versions.map(({ message }) => message)).toEqual(['Folder', 'First']);
  });

  it('requires permission to edit the dashboard', async () => {
    const { admin } = api;
    succeeded(await admin.put('/version-control', {}));
    const created = succeeded(await admin.post<Saved>('/dashboards', { title: 'x', commitMessage: 'One' }));
    const { id, secret } = created.dashboard;
    const sha = created.versionControl?.commitSha;
    const tenant = await api.createTenant();
    const [editor, viewer, nobody, tenantEditor] = await Promise.all([
      addOrgUser(api, 'AUTHOR'),
      addOrgUser(api, 'AUTHOR'),
      addOrgUser(api, 'AUTHOR'),
      addTenantUser(api, tenant.id, 'POWER_USER'),
    ]);
    await api.share(admin, id, [
      { scope: 'specific_org_user', orgUserId: editor.id, role: 'EDITOR' },
      { scope: 'specific_org_user', orgUserId: viewer.id, role: 'VIEWER' },
      { scope: 'specific_tenant_user', tenantUserId: tenantEditor.id, role: 'EDITOR' },
    ]);
    const { accessToken } = succeeded(await api.requestToken({ dashboardId: id, dashboardSecret: secret }));
    const anonymous = openSession(server.baseUrl, accessToken);
    const paths = ['', `/${sha}`, `/${sha}/diff`].map((rest) => `/dashboards/${id}/versions${rest}`);
    for (const [session, status] of [
      [editor.session, 200],
      [tenantEditor.session, 200],
      [viewer.session, 403],
      [anonymous, 403],
      [nobody.session, 404],
    ] as const) {
      for (const path of paths) expect([path, (await session.get(path)).status]).toEqual([path, status]);
      expect((await session.post(`${paths[1]}/restore`, {})).status).toBe(status);
    }
    expect((await editor.session.put('/version-control', {})).status).toBe(403);
    succeeded(await admin.delete('/version-control'));
  });

  it('show a tenant user the names of its tenant and of org users alone, and no address', async () => {
    const { admin } = api;
    succeeded(await admin.put('/version-control', {}));
    const fields = { title: 'x', commitMessage: 'By an ADMIN' };
    const { id } = succeeded(await admin.post<Saved>('/dashboards', fields)).dashboard;
    const [tenant, otherTenant] = [await api.createTenant(), await api.createTenant()];
    const people = {
      reader: await addTenantUser(api, tenant.id, 'POWER_USER'),
      colleague: await addTenantUser(api, tenant.id, 'POWER_USER'),
      stranger: await addTenantUser(api, otherTenant.id, 'POWER_USER'),
    };
    const shares = Object.values(people).map(({ id: tenantUserId }) => {
      return { scope: 'specific_tenant_user', tenantUserId, role: 'EDITOR' };
    });
    await api.share(admin, id, shares);
    for (const [title, { session }] of Object.entries(people))
      succeeded(await session.patch(`/dashboards/${id}`, { title, commitMessage: `By the ${title}` }));

    const path = `/dashboards/${id}/versions`;
    const authorsFor = async (session: Session) => {
      const { versions } = succeeded(await session.get<{ versions: DashboardVersion[] }>(path));
      const single = versions.map(({ sha }) => session.get<OneVersion>(`${path}/${sha}`));
      const alone = (await Promise.all(single)).map((response) => succeeded(response).version.author);
      expect(alone).toEqual(versions.map(({ author }) => author));
      return Object.fromEntries(versions.map(({ message, author }) => [message, author]));
    };
    const known = await authorsFor(admin);
    const nameOf = (message: string) => known[message]?.name;
    expect(new Set(Object.values(known).map(({ name }) => name)).size).toBe(4);
    expect(await authorsFor(people.reader.session)).toEqual({
      'By an ADMIN': { name: 'Administrator', email: '' },
      'By the reader': known['By the reader'],
      'By the colleague': { name: nameOf('By the colleague'), email: '' },
      'By the stranger': { name: '', email: '' },
    });
    succeeded(await admin.delete('/version-control'));
  });
});
