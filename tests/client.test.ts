import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from './src/api.js';
import { bundleClient, callWithGlobalsOf, type WebRuntime } from './src/browserBundle.js';
import { CLIENT_CASE_SETTINGS, describeClient, type ClientWorld } from './src/clientCases.js';
import { runProgram } from './src/clientPrograms.js';
import { startTestPlatform, type TestServer } from './src/servers.js';
import { makeStatusWorld } from './src/statusCases/statusCase.js';

describe('the client, on a platform,', () => {
  let server: TestServer;
  let clientWorld: ClientWorld;

  beforeAll(async () => {
    server = await startTestPlatform(CLIENT_CASE_SETTINGS);
    const { baseUrl, credentials } = server;
    const { projectId, projectSecret, adminOrgUserId } = credentials;
    clientWorld = {
      world: await makeStatusWorld(await createApi(credentials), adminOrgUserId),
      baseUrl,
      renewable: { baseUrl, credentials: { projectId, projectSecret, orgUserId: adminOrgUserId } },
      run: runProgram,
    };
  });
  afterAll(() => server[Symbol.asyncDispose]());

  describeClient(() => clientWorld);

  it.each<WebRuntime>(['browser', 'edge'])('works with only the globals of every %s', async (runtime) => {
    const { code, imports } = await bundleClient();
    expect(imports).toEqual([]);
    const done = await callWithGlobalsOf(runtime, code, clientWorld.renewable);
    expect(done).toMatchObject({ titles: [`Made by ${runtime}`], summaries: 1, refusal: 'NOT_FOUND' });
  });
});
