import type { WebhookFailure } from '@gatehouse/contract';
import { DestinationError } from '@gatehouse/service';
import { failureOf } from '../logic/deliveryHealth.js';
import { readRetryAfter } from '../logic/deliverySchedule.js';
import { parseWebhookUrl } from '../logic/webhookUrl.js';
import type { StoredAttempt, WebhookDocument } from '../store/webhookDocuments.js';
import { post, type ReceivedAnswer } from './deliveryRequest.js';
import { signMessage, type Message } from './deliverySignature.js';
import type { Webhooks } from './webhookContext.js';
import { findTarget } from './webhookDestination.js';
import { openSecrets } from './webhookSecrets.js';

/** An attempt, and how long the receiver has asked to be left alone. */
export interface AttemptOutcome {
  attempt: StoredAttempt;
  retryAfterMs?: number | undefined;
}

/** Why an attempt was ended from here. */
class AttemptEnded extends Error {
  constructor(readonly failure: Extract<WebhookFailure, 'timed_out' | 'interrupted'>) {
    super(failure);
  }
}

const HEADERS = {
  'content-type': 'application/cloudevents+json; charset=utf-8',
  'user-agent': 'Gatehouse-Webhooks/1',
};

/** OpenSSL's and Node's codes of certificates and handshakes that are not accepted. */
const TLS_FAULT = /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/;

function failureBy(error: unknown): WebhookFailure {
  if (error instanceof AttemptEnded) return error.failure;
  if (error instanceof DestinationError) return error.reason === 'notAllowed' ? 'not_allowed' : 'unresolved';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('HPE_')) return 'malformed';
  return TLS_FAULT.test(code) ? 'untrusted' : 'unreachable';
}

/** The work's end or the signal's, whichever comes first: a look-up of a name cannot be called off. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** What an attempt sends, and where. */
interface Sending {
  url: string;
  body: string;
  headers: Record<string, string>;
}

async function send(webhooks: Webhooks, sending: Sending, signal: AbortSignal): Promise<ReceivedAnswer> {
  const target = parseWebhookUrl(sending.url);
  if (typeof target === 'string') throw new TypeError(`A stored URL ${target}`);
  const destination = await orAborted(findTarget(webhooks, target), signal);
  return post({ ...sending, url: new URL(sending.url), destination, signal });
}

/**
 * Sends a message to a webhook, once. Whatever the receiver does is an outcome.
 *
 * @param stopping ends the attempt as interrupted
 * @throws when a secret's sealing key is not configured any more
 */
export async function attemptDelivery(
  webhooks: Webhooks,
  { webhook, message }: { webhook: WebhookDocument; message: Message },
  stopping: AbortSignal,
): Promise<AttemptOutcome> {
  const attemptedAt = webhooks.now();
  const signature = signMessage(message, openSecrets(webhooks, webhook, attemptedAt), attemptedAt);
  const sending = { url: webhook.url, body: message.body, headers: { ...HEADERS, ...signature } };
  const startedMs = performance.now();
  const ending = new AbortController();
  const timer = setTimeout(
    () => ending.abort(new AttemptEnded('timed_out')),
    webhooks.config.WEBHOOK_TIMEOUT_MS,
  );
  const interrupt = () => ending.abort(new AttemptEnded('interrupted'));
  if (stopping.aborted) interrupt();
  stopping.addEventListener('abort', interrupt, { once: true });
  const outcome = (statusCode: number | null, failure: WebhookFailure | null): StoredAttempt => {
    const durationMs = Math.round(performance.now() - startedMs);
    return { attemptedAt, durationMs, statusCode, failure };
  };
  try {
    const { statusCode, retryAfter } = await send(webhooks, sending, ending.signal);
    const attempt = outcome(statusCode, failureOf(statusCode));
    return { attempt, retryAfterMs: readRetryAfter(retryAfter, webhooks.now()) };
  } catch (error) {
    return { attempt: outcome(null, failureBy(error)) };
  } finally {
    clearTimeout(timer);
    stopping.removeEventListener('abort', interrupt);
  }
}
