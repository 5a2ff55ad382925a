import { expect } from 'vitest';
import { sendRequest, type Answer } from '../api.js';

/** A request: method, path with `:id` for a dashboard's, body. */
export type Target = readonly [method: string, path: string, body?: unknown];

const SHARES = { shares: [{ scope: 'all_tenants_only', role: 'VIEWER' }] };

/** What can be done to one dashboard. The deletion comes last, so that it cannot hide what the others do. */
export const TO_DASHBOARD: readonly Target[] = [
  ['GET', '/dashboards/:id'],
  ['PATCH', '/dashboards/:id', { title: 'Mine' }],
  ['POST', '/dashboards/:id/duplicate', {}],
  ['POST', '/dashboards/:id/rotate-secret'],
  ['POST', '/dashboards/:id/take-ownership'],
  ['POST', '/dashboards/:id/share', SHARES],
  ['DELETE', '/dashboards/:id/share', SHARES],
  ['GET', '/dashboards/:id/shares'],
  ['GET', '/dashboards/:id/access'],
  ['GET', '/dashboards/:id/viewers'],
  ['DELETE', '/dashboards/:id'],
];

/** One of each kind: reads and writes, of both services, in every form of error. */
export const EVERYWHERE: readonly Target[] = [
  ['GET', '/dashboards'],
  ['GET', '/dashboards/:id'],
  ['PATCH', '/dashboards/:id', { title: 'Mine' }],
  ['DELETE', '/dashboards/:id'],
  ['GET', '/tenant-users'],
  ['POST', '/groups', { name: 'Mine', type: 'ORG_GROUP' }],
  ['POST', '/api/v1/invalidate-token'],
];

/** The parts of a response that must not differ between attacks. */
export function withoutRequestId({ status, headers, body }: Answer<object>) {
  const { requestId, ...rest } = body as Record<string, unknown>;
  if (status >= 400) expect(requestId).toBe(headers.get('x-request-id'));
  // Some bodies name it in their details too.
  const text = JSON.stringify(rest).replaceAll(headers.get('x-request-id') ?? '-', 'the request');
  const comparable = JSON.parse(text) as Record<string, unknown>;
  return { status, challenge: headers.get('www-authenticate'), body: comparable };
}

export type ComparableAnswer = ReturnType<typeof withoutRequestId>;

export interface Attack {
  baseUrl: string;
  /** Null for a request without one. */
  token: string | null;
  dashboardId: string;
}

/** The response of each target to the bearer of a token. */
export async function attack(
  targets: readonly Target[],
  { baseUrl, token, dashboardId }: Attack,
): Promise<Record<string, ComparableAnswer>> {
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const answers: Record<string, ComparableAnswer> = {};
  for (const [method, path, body] of targets) {
    const answer = await sendRequest(baseUrl, [method, path.replace(':id', dashboardId)], { body, headers });
    answers[`${method} ${path}`] = withoutRequestId(answer);
  }
  return answers;
}
