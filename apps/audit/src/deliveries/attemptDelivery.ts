import { createHmac } from 'node:crypto';
import type { WebhookAttempt, WebhookFailure } from '@gatehouse/contract';
import { DestinationError } from '@gatehouse/service';
import type { Dependencies, WebhookDocument } from '../dependencies.js';
import { findTarget } from '../webhooks/findTarget.js';
import { failureOf } from '../webhooks/logic/health.js';
import { normalizeStoredUrl, parseWebhookUrl } from '../webhooks/logic/url.js';
import { keyOf, openSecrets } from '../webhooks/sealSecret.js';
import { readRetryAfter } from './logic/schedule.js';
import { post, type ReceivedResponse } from './postRequest.js';
import type { StoredAttempt } from './documents.js';

/** An attempt, with the delay that the receiver requested. */
export interface AttemptOutcome {
  attempt: StoredAttempt;
  retryAfterMs?: number | undefined;
}

export function toAttempt({ attemptedAt, durationMs, statusCode, failure }: StoredAttempt): WebhookAttempt {
  return { attemptedAt: attemptedAt.toISOString(), durationMs, statusCode, failure };
}

/** A message, signed again for each attempt. */
interface Message {
  /** The id of the event: the same for each attempt. */
  id: string;
  body: string;
}

/**
 * The headers that prove to a receiver that a message is authentic and recent, as in Standard Webhooks
 * (https://www.standardwebhooks.com): one signature for each secret, HMAC-SHA256 of `id.timestamp.body`.
 */
function signMessage({ id, body }: Message, secrets: readonly string[], now: Date) {
  const timestamp = Math.floor(now.getTime() / 1000).toString();
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', keyOf(secret)).update(signed).digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

/** The reason why this process ended an attempt. */
class AttemptEnded extends Error {
  constructor(readonly failure: Extract<WebhookFailure, 'timed_out' | 'interrupted'>) {
    super(failure);
  }
}

const HEADERS = {
  'content-type': 'application/cloudevents+json; charset=utf-8',
  'user-agent': 'Gatehouse-Webhooks/1',
};

/** Error codes of OpenSSL and Node for rejected certificates and failed handshakes. */
const TLS_FAULT = /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/;

function failureFrom(error: unknown): WebhookFailure {
  if (error instanceof AttemptEnded) return error.failure;
  if (error instanceof DestinationError) return error.reason === 'notAllowed' ? 'not_allowed' : 'unresolved';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('HPE_')) return 'malformed';
  return TLS_FAULT.test(code) ? 'untrusted' : 'unreachable';
}

/** Settles with the work, or rejects when the signal aborts: a name lookup cannot be cancelled. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** The request of an attempt. */
interface OutgoingMessage {
  url: string;
  body: string;
  headers: Record<string, string>;
}

async function send(
  dependencies: Dependencies,
  outgoing: OutgoingMessage,
  signal: AbortSignal,
): Promise<ReceivedResponse> {
  const target = parseWebhookUrl(normalizeStoredUrl(outgoing.url));
  if (typeof target === 'string') throw new TypeError(`A stored URL ${target}`);
  const destination = await orAborted(findTarget(dependencies, target), signal);
  return post({ ...outgoing, url: new URL(target.url), destination, signal });
}

/**
 * Sends a message to a webhook once. Failures of the receiver are outcomes, not errors.
 *
 * @param stopping ends the attempt as interrupted
 * @throws when a secret's sealing key is no longer configured
 */
export async function attemptDelivery(
  dependencies: Dependencies,
  { webhook, message }: { webhook: WebhookDocument; message: Message },
  stopping: AbortSignal,
): Promise<AttemptOutcome> {
  const attemptedAt = dependencies.now();
  const signature = signMessage(message, openSecrets(dependencies, webhook, attemptedAt), attemptedAt);
  const outgoing = { url: webhook.url, body: message.body, headers: { ...HEADERS, ...signature } };
  const startedMs = performance.now();
  const ending = new AbortController();
  const timer = setTimeout(
    () => ending.abort(new AttemptEnded('timed_out')),
    dependencies.config.WEBHOOK_TIMEOUT_MS,
  );
  const interrupt = () => ending.abort(new AttemptEnded('interrupted'));
  if (stopping.aborted) interrupt();
  stopping.addEventListener('abort', interrupt, { once: true });
  const outcome = (statusCode: number | null, failure: WebhookFailure | null): StoredAttempt => {
    const durationMs = Math.round(performance.now() - startedMs);
    return { attemptedAt, durationMs, statusCode, failure };
  };
  try {
    const { statusCode, retryAfter } = await send(dependencies, outgoing, ending.signal);
    const attempt = outcome(statusCode, failureOf(statusCode));
    return { attempt, retryAfterMs: readRetryAfter(retryAfter, dependencies.now()) };
  } catch (error) {
    return { attempt: outcome(null, failureFrom(error)) };
  } finally {
    clearTimeout(timer);
    stopping.removeEventListener('abort', interrupt);
  }
}
