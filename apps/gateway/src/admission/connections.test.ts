import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../testing/testGateway.js';

const DASHBOARDS = '/api/management/v1/dashboards';

/** Opens a connection from a loopback address and sends nothing. */
async function open({ port }: TestGateway, localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {}).resume();
  await once(socket, 'connect');
  return socket;
}

it('connections past the limit close the oldest idle one of the address that has the most', async () => {
  await using gateway = await startTestGateway({ MAX_CONNECTIONS: '6' });
  const quiet = await open(gateway, '127.0.0.2');
  const flood: Socket[] = [];
  for (let count = 0; count < 20; count += 1) flood.push(await open(gateway, '127.0.0.1'));
  await expect.poll(() => flood.filter(({ destroyed }) => destroyed).length).toBe(15);
  expect(flood.slice(-5).some(({ destroyed }) => destroyed)).toBe(false);
  expect(quiet.destroyed).toBe(false);
  expect((await gateway.send(DASHBOARDS)).status).toBe(200);
  for (const socket of [quiet, ...flood]) socket.destroy();
});

it('a connection with a request in flight is never closed for another', async () => {
  await using gateway = await startTestGateway({ MAX_CONNECTIONS: '2' });
  const waiting: (() => void)[] = [];
  gateway.services.beforeCreate = () => new Promise((go) => void waiting.push(go));
  const create = () => gateway.send(DASHBOARDS, { method: 'POST', json: { title: 'Sales' } });
  const creating = [create(), create()];
  await expect.poll(() => waiting.length).toBe(2);
  const rejected = await open(gateway, '127.0.0.1');
  await expect.poll(() => rejected.destroyed).toBe(true);
  for (const go of waiting) go();
  expect((await Promise.all(creating)).map(({ status }) => status)).toEqual([201, 201]);
});
