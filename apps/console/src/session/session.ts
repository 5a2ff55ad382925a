import type { UserRole } from '@gatehouse/contract';
import { queryOptions } from '@tanstack/react-query';

/** The signed-in user. */
export interface SessionUser {
  id: string;
  kind: 'orgUser' | 'tenantUser';
  name: string;
  email: string;
  role: UserRole;
  organizationId: string;
  organizationName: string;
  tenantId?: string;
  tenantName?: string;
}

/** How a user may sign in. */
export interface SignInMethods {
  /** The provider of the organization. */
  oidc: boolean;
  /** A link that is valid once. */
  code: boolean;
}

export interface SignedIn {
  signedIn: true;
  methods: SignInMethods;
  session: { id: string; createdAt: string; expiresAt: string };
  user: SessionUser;
  projects: { id: string; name: string }[];
  csrfToken: string;
}

export type SessionState = { signedIn: false; methods: SignInMethods } | SignedIn;

const SESSION = '/console/session';

/** An error response of the session routes. */
export class SessionError extends Error {
  readonly code: string | null;
  readonly requestId: string | null;
  readonly status: number;

  constructor(
    status: number,
    body: { error?: unknown; detail?: unknown; code?: unknown },
    requestId: string | null,
  ) {
    const text = [body.error, body.detail].find((value) => typeof value === 'string');
    super(text ?? 'The session could not be read');
    this.status = status;
    this.code = typeof body.code === 'string' ? body.code : null;
    this.requestId = requestId;
  }
}

async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(SESSION + path, { credentials: 'same-origin', ...init });
  if (response.ok) return response;
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  throw new SessionError(response.status, body, response.headers.get('X-Request-Id'));
}

/**
 * The state of the session. Requests fail with 401 when it ends, and then it is read again. Once it has
 * ended, it is read whenever the page is shown again: the user may have signed in elsewhere.
 */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => (await (await request('', { signal })).json()) as SessionState,
  staleTime: Infinity,
  refetchOnWindowFocus: ({ state: { data } }) => data?.signedIn === false && 'always',
});

/** Exchanges the code of a sign-in link for a session. The code is valid once. */
export async function signInWithCode(code: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await request('/code', { method: 'POST', headers, body: JSON.stringify({ code }) });
}

/** The address that starts a sign-in at the organization's provider. */
export function providerAddress(returnTo: string): string {
  return `${SESSION}/sign-in?returnTo=${encodeURIComponent(returnTo)}`;
}

/** Ends the session, and leaves for the provider's sign-out page if there is one. */
export async function signOut(csrfToken: string): Promise<void> {
  const response = await request('/sign-out', { method: 'POST', headers: { 'x-csrf-token': csrfToken } });
  if (response.status !== 200) return;
  const { redirectTo } = (await response.json()) as { redirectTo?: string };
  if (redirectTo !== undefined) location.assign(redirectTo);
}
