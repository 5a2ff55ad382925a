import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { startTestGateway } from './testing/testGateway.js';

it('a stop lets a caller use the connection that it keeps once more, and that answer ends it', async () => {
  const gateway = await startTestGateway({ DRAIN_MS: '5000' });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async () => {
    const sent = request(`${gateway.url}/readyz`, { agent }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    await answer.resume().toArray();
    return { status: answer.statusCode, connection: answer.headers.connection, isKept: sent.reusedSocket };
  };
  expect(await ask()).toEqual({ status: 200, connection: 'keep-alive', isKept: false });
  const startedAtMs = performance.now();
  const stopping = gateway.gateway.stop();
  expect(await ask()).toEqual({ status: 503, connection: 'close', isKept: true });
  await stopping;
  expect(performance.now() - startedAtMs).toBeLessThan(5000);
  await gateway.bus.close();
});
