import { newKey } from '@gatehouse/service';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';
import { createOrganization, type TestOrganization } from '../testing/population.js';

const { platform } = await usePlatform(startPlatform);
const { projects } = platform.directory;

let acme: TestOrganization;
beforeEach(async () => {
  acme = await createOrganization(platform);
});

describe('projects', () => {
  it('return their secret on creation only', async () => {
    const { project } = await projects.create.mutate({ name: 'Second' }, { context: acme.asAdmin });
    const { secret, ...record } = project;
    expect(record).toMatchObject({ name: 'Second', organizationId: acme.organizationId, version: 1 });
    await platform.login({ projectId: project.id, projectSecret: secret });
    expect(await projects.get.query({ id: project.id }, { context: acme.asAdmin })).toEqual({
      project: record,
    });
    const listed = await projects.list.query({}, { context: acme.asAdmin });
    expect(listed.projects.map((each) => each.name)).toEqual(['Main', 'Second']);
    expect(JSON.stringify(listed)).not.toMatch(/secret/i);
    const [event] = await platform.eventsOf('management.project.created.v1', project.id);
    expect(event?.data).toEqual({ id: project.id, name: 'Second' });
  });

  it('have unique names within the organization', async () => {
    const { project } = await projects.create.mutate({ name: 'Second' }, { context: acme.asAdmin });
    const rejection = { code: 'CONFLICT', fieldErrors: [{ field: 'name' }] };
    await expect(projects.create.mutate({ name: 'Main' }, { context: acme.asAdmin })).rejects.toMatchObject({
      cause: rejection,
    });
    await expect(
      projects.update.mutate({ id: project.id, name: 'Main' }, { context: acme.asAdmin }),
    ).rejects.toMatchObject({ cause: rejection });
    const elsewhere = await createOrganization(platform);
    await projects.create.mutate({ name: 'Second' }, { context: elsewhere.asAdmin });
  });

  it('are renamed only at the version that the caller read', async () => {
    const { projectId: id } = acme.credentials;
    const { project } = await projects.update.mutate(
      {
        id,
        name: 'Renamed',
      },
      { context: await platform.originOf(acme.admin, [1]) },
    );
    expect(project).toMatchObject({ name: 'Renamed', version: 2 });
    const outdated = projects.update.mutate(
      { id, name: 'Again' },
      { context: await platform.originOf(acme.admin, [1]) },
    );
    await expect(outdated).rejects.toMatchObject({ cause: { code: 'PRECONDITION_FAILED' } });
    const [event] = await platform.eventsOf('management.project.updated.v1', id);
    expect(event?.data).toEqual({ id, name: 'Renamed', changes: { name: { from: 'Main', to: 'Renamed' } } });
  });

  it('keep a newer secret when an earlier rotation is repeated', async () => {
    const { projectId: id } = acme.credentials;
    const rotate = async (operationKey?: string) =>
      (await projects.rotateSecret.mutate({ id }, { context: { ...acme.asAdmin, operationKey } })).project;
    const operationKey = newKey();
    const leaked = await rotate(operationKey);
    const newer = await rotate();
    const repeated = await rotate(operationKey);
    expect(repeated).toEqual({ ...newer, secret: leaked.secret });
    await platform.login({ projectId: id, projectSecret: newer.secret });
    await expect(platform.login({ projectId: id, projectSecret: leaked.secret })).rejects.toMatchObject({
      cause: { code: 'UNAUTHENTICATED' },
    });
    expect(await platform.eventsOf('management.project_secret.rotated.v1', id, 2)).toHaveLength(2);
  });

  it('give no secret to the token of an ADMIN that hides semantic domains', async () => {
    const { projectId: id, projectSecret } = acme.credentials;
    const limited = { ...acme.admin, semanticDomainAccess: { mode: 'none' as const } };
    const context = await platform.originOf(limited);
    const refused = { cause: { code: 'FORBIDDEN' } };
    await expect(projects.rotateSecret.mutate({ id }, { context })).rejects.toMatchObject(refused);
    await expect(projects.create.mutate({ name: 'Second' }, { context })).rejects.toMatchObject(refused);
    await platform.login({ projectId: id, projectSecret });
    expect((await projects.update.mutate({ id, name: 'Renamed' }, { context })).project.name).toBe('Renamed');
    const every = await platform.originOf({ ...acme.admin, semanticDomainAccess: { mode: 'all' } });
    expect((await projects.rotateSecret.mutate({ id }, { context: every })).project.secret).toBeTruthy();
  });

  it('return the same error for a project of another organization as for a missing one', async () => {
    const elsewhere = await createOrganization(platform);
    const { projectId: id } = elsewhere.credentials;
    const hidden = await projects.get
      .query({ id }, { context: acme.asAdmin })
      .catch((error: unknown) => error);
    const missing = await projects.get
      .query({ id: 'p_none' }, { context: acme.asAdmin })
      .catch((error: unknown) => error);
    expect(hidden).toMatchObject({ cause: { code: 'NOT_FOUND' } });
    expect(hidden).toEqual(missing);
  });
});
