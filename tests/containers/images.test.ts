import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeDataDir } from '@gatehouse/testing';
import { getContainerRuntimeClient, ImageName, type StartedTestContainer } from 'testcontainers';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { sendRequest } from '../src/api.js';
import { APPS, imageOf, type App } from './images.js';
import { startContainers, type RunningContainers } from './platform.js';

const SIZE_LIMIT_BYTES = 250_000_000;
const HEALTH_LIMIT_MS = 60_000;
const LOOK_AGAIN_MS = 500;

describe.each(APPS)('the image of %s', (app) => {
  const inspect = async () =>
    (await getContainerRuntimeClient()).image.inspect(ImageName.fromString(imageOf(app)));

  it('is small, runs without root, and has labels and a health check', async () => {
    const { Size, Config } = await inspect();
    expect(Size).toBeLessThan(SIZE_LIMIT_BYTES);
    expect(Config).toMatchObject({
      User: '10001:10001',
      Entrypoint: ['node', 'dist/bundle/main.js'],
      Labels: {
        'org.opencontainers.image.title': `gatehouse-${app}`,
        'org.opencontainers.image.licenses': 'Apache-2.0',
      },
      Healthcheck: { Test: expect.arrayContaining(['CMD', 'node']) as unknown },
    });
    expect(Config.Env.filter((line) => /KEY|SECRET|PASSWORD|TOKEN|URL|CERT/i.test(line))).toEqual([]);
  });
});

describe('a platform of the images', () => {
  let dataDir: string;
  let platform: RunningContainers;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-images-'));
    const settings = { MONGODB_PREFIX: `t${Date.now()}`, LOG_LEVEL: 'info' };
    platform = await startContainers({ settings, dataDir, network: inject('containerNetwork') ?? '' });
  });
  afterAll(async () => {
    await platform.stop();
    await removeDataDir(dataDir);
  });

  const containerOf = (app: App): StartedTestContainer => {
    const container = platform.containers.get(app);
    if (container === undefined) throw new Error(`${app} does not run`);
    return container;
  };
  const healthOf = async (app: App): Promise<string | undefined> => {
    const { container: containers } = await getContainerRuntimeClient();
    const { State } = await containers.inspect(containers.getById(containerOf(app).getId()));
    return State.Health?.Status;
  };

  it.each(APPS)('has a healthy %s by the check of the image itself', async (app) => {
    const deadlineMs = performance.now() + HEALTH_LIMIT_MS;
    while ((await healthOf(app)) !== 'healthy' && performance.now() < deadlineMs) await sleep(LOOK_AGAIN_MS);
    expect(await healthOf(app)).toBe('healthy');
  });

  it.each(APPS)(
    'has a %s that can change nothing of itself, and carries nothing of how it was made',
    async (app) => {
      const look = async (command: string) =>
        (await containerOf(app).exec(['sh', '-c', command])).output.trim();
      expect(await look('id -u')).toBe('10001');
      expect(await look('touch /gatehouse/x 2>&1')).toMatch(/Read-only file system/);
      expect(
        await look(
          'find / -xdev -writable -not -type l -not -path "/proc/*" -not -path "/dev/*" 2>/dev/null',
        ),
      ).toMatch(/^(\/tmp\S*\s*|\/var\/(tmp|lock)\S*\s*|\/run\/lock\s*)*$/);
      const made =
        "-name '*.test.*' -o -name '*.ts' -o -name '*.map' -o -name .npmrc -o -name npm -o -name typescript";
      expect(await look(`find / -xdev \\( ${made} \\) -not -path '/proc/*' 2>/dev/null`)).toBe('');
      expect(await look('find /gatehouse -newermt 1970-01-02 -not -type d')).toBe('');
    },
  );

  it('has a git with all features that the lifecycle service uses', async () => {
    const { output } = await containerOf('lifecycle').exec([
      'git',
      'ls-remote',
      'https://127.0.0.1:1/none.git',
    ]);
    // The HTTPS helper exists and the connection was refused; otherwise git reports that it cannot find the
    // helper.
    expect(output).toMatch(/Failed to connect|Could not connect/i);
  });

  it.each(['/docs', '/console'])('serves the page %s', async (path) => {
    const answer = await fetch(platform.credentials.baseUrl + path);
    const page = await answer.text();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    for (const [, file = ''] of page.matchAll(/(?:src|href)="([^"#]+\.(?:js|css))"/g)) {
      expect([file, (await fetch(new URL(file, `${platform.credentials.baseUrl}${path}/`))).status]).toEqual([
        file,
        200,
      ]);
    }
  });

  it('accepts the credentials that the bootstrap printed', async () => {
    const { baseUrl, projectId, projectSecret, adminOrgUserId: orgUserId } = platform.credentials;
    const body = { projectId, projectSecret, orgUserId };
    expect(await sendRequest(baseUrl, ['POST', '/api/v1/token'], { body })).toMatchObject({ status: 200 });
  });
});
