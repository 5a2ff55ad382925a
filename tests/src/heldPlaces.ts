import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer, Session } from './api.js';
import type { Settings } from './servers.js';
import { createWebhook, WEBHOOK_SETTINGS } from './webhookRecords.js';

/** So that a held place is kept for as long as a test needs it. */
export const HELD_PLACE_SETTINGS: Settings = {
  ...WEBHOOK_SETTINGS,
  WEBHOOK_TIMEOUT_MS: '120000',
  REQUEST_TIMEOUT_MS: '120000',
};

/**
 * Requests that occupy the gateway's capacity: each waits for a receiver of webhooks, which responds on
 * release.
 */
export interface HeldPlaces extends AsyncDisposable {
  /** Lets the receiver answer, and resolves to the answers to the requests. */
  release(): Promise<Answer[]>;
}

/** Keeps so many requests in flight. Resolves once all of them wait. */
export async function holdPlaces(admin: Session, count: number): Promise<HeldPlaces> {
  const waiting: ServerResponse[] = [];
  const receiver = createServer((request, response) => {
    request.resume();
    waiting.push(response);
    receiver.emit('held');
  });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const { port } = receiver.address() as AddressInfo;
  const hooks = [];
  for (let made = 0; made < count; made += 1)
    hooks.push(await createWebhook(admin, { url: `http://127.0.0.1:${port}/${made}` }));
  const answers = hooks.map(({ id }) => admin.post<Record<string, unknown>>(`/webhooks/${id}/test`));
  const early = Promise.race(answers).then(({ status, body }) => {
    throw new Error(`The gateway answered ${status} instead of waiting: ${JSON.stringify(body)}`);
  });
  // Once all of them wait, an answer is what the test looks at.
  early.catch(() => {});
  while (waiting.length < count) await Promise.race([once(receiver, 'held'), early]);
  const release = () => {
    for (const response of waiting) response.end();
    return Promise.all(answers);
  };
  return {
    release,
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([release()]);
      receiver.closeAllConnections();
      receiver.close();
    },
  };
}
