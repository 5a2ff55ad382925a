import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { startTestGateway } from './testing/testGateway.js';

it('a shutdown serves one more request on a kept-alive connection and then closes it', async () => {
  const gateway = await startTestGateway({ DRAIN_MS: '60000' });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = async () => {
    const sent = request(`${gateway.url}/readyz`, { agent }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await response.resume().toArray();
    return {
      status: response.statusCode,
      connection: response.headers.connection,
      isKept: sent.reusedSocket,
    };
  };
  expect(await send()).toEqual({ status: 200, connection: 'keep-alive', isKept: false });
  const startedAtMs = performance.now();
  const stopping = gateway.gateway.stop();
  expect(await send()).toEqual({ status: 503, connection: 'close', isKept: true });
  await stopping;
  expect(performance.now() - startedAtMs).toBeLessThan(60_000);
  await gateway.bus.close();
});
