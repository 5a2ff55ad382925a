import type { Webhook, WebhookAttempt } from '@gatehouse/contract';

const FAILURES: Readonly<Record<NonNullable<WebhookAttempt['failure']>, string>> = {
  not_allowed: 'The operator does not allow this host',
  unresolved: 'The host name was not found',
  unreachable: 'The server cannot be reached',
  untrusted: 'The certificate is not trusted',
  timed_out: 'The server did not respond in time',
  malformed: 'The response is not HTTP',
  redirected: 'The server redirected the request',
  refused: 'The server rejected the request',
  interrupted: 'The platform stopped during the request',
};

/** The outcome of an attempt in words. */
export function describeAttempt({
  failure,
  statusCode,
}: Pick<WebhookAttempt, 'failure' | 'statusCode'>): string {
  const status = statusCode === null ? '' : ` (${statusCode})`;
  return `${failure === null ? 'Delivered' : FAILURES[failure]}${status}`;
}

/** What a webhook is called: its description, or the address without one. */
export function nameOf({ url, description }: Webhook): string {
  return description === '' ? url : description;
}

export const REASONS: Readonly<Record<NonNullable<Webhook['disabledReason']>, string>> = {
  manual: 'Disabled',
  gone: 'Disabled: its server returned 410',
  failing: 'Disabled: it failed too long',
  overloaded: 'Disabled: too many deliveries waited',
};

/** The state of a webhook, and its colour. */
export function stateOf({ isEnabled, disabledReason }: Webhook): { text: string; color: string } {
  if (isEnabled) return { text: 'Enabled', color: 'teal' };
  const color = disabledReason === 'manual' || disabledReason === null ? 'gray' : 'red';
  return { text: REASONS[disabledReason ?? 'manual'], color };
}

/** The colours of the states of deliveries. */
export const STATUS_COLORS = { pending: 'yellow', delivered: 'teal', failed: 'red' } as const;
export const STATUS_TEXTS = { pending: 'Pending', delivered: 'Delivered', failed: 'Failed' } as const;
