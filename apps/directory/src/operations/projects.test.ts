import { startTestMongo } from '@gatehouse/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';
import { createOrganization, type TestOrganization } from '../testing/population.js';

const platform = await startPlatform(await startTestMongo());
const { projects } = platform.directory;
afterAll(() => platform.stop());

let acme: TestOrganization;
beforeEach(async () => {
  acme = await createOrganization(platform);
});

describe('projects', () => {
  it('show their secret when they are created and never again', async () => {
    const { project } = await projects.create(acme.asAdmin, { name: 'Second' });
    const { secret, ...record } = project;
    expect(record).toMatchObject({ name: 'Second', organizationId: acme.organizationId, version: 1 });
    await platform.login({ projectId: project.id, projectSecret: secret });
    expect(await projects.get(acme.asAdmin, { id: project.id })).toEqual({ project: record });
    const listed = await projects.list(acme.asAdmin, {});
    expect(listed.projects.map((each) => each.name)).toEqual(['Main', 'Second']);
    expect(JSON.stringify(listed)).not.toMatch(/secret/i);
    const [event] = await platform.eventsOf('management.project.created.v1', project.id);
    expect(event?.data).toEqual({ id: project.id, name: 'Second' });
  });

  it('have names unique in the organization', async () => {
    const { project } = await projects.create(acme.asAdmin, { name: 'Second' });
    const refused = { code: 'CONFLICT', fieldErrors: [{ field: 'name' }] };
    await expect(projects.create(acme.asAdmin, { name: 'Main' })).rejects.toMatchObject(refused);
    await expect(projects.update(acme.asAdmin, { id: project.id, name: 'Main' })).rejects.toMatchObject(
      refused,
    );
    const elsewhere = await createOrganization(platform);
    await projects.create(elsewhere.asAdmin, { name: 'Second' });
  });

  it('are renamed at the version that the caller read', async () => {
    const { projectId: id } = acme.credentials;
    const { project } = await projects.update(await platform.originOf(acme.admin, [1]), {
      id,
      name: 'Renamed',
    });
    expect(project).toMatchObject({ name: 'Renamed', version: 2 });
    const outdated = projects.update(await platform.originOf(acme.admin, [1]), { id, name: 'Again' });
    await expect(outdated).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
    const [event] = await platform.eventsOf('management.project.updated.v1', id);
    expect(event?.data).toEqual({ id, name: 'Renamed', changes: { name: { from: 'Main', to: 'Renamed' } } });
  });

  it('of another organization are as ones that do not exist', async () => {
    const elsewhere = await createOrganization(platform);
    const { projectId: id } = elsewhere.credentials;
    const hidden = await projects.get(acme.asAdmin, { id }).catch((error: unknown) => error);
    const missing = await projects.get(acme.asAdmin, { id: 'p_none' }).catch((error: unknown) => error);
    expect(hidden).toMatchObject({ code: 'NOT_FOUND' });
    expect(hidden).toEqual(missing);
  });
});
