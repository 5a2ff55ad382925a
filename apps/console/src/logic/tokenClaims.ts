import type { TokenClaims } from '@gatehouse/contract';

/** What the console shows of a token, and needs for paths. It is not verified here: the API does that at each request. */
export type ShownClaims = Pick<
  TokenClaims,
  'projectId' | 'exp' | 'type' | 'orgUserId' | 'tenantUserId' | 'dashboardId'
>;

/** Reads the claims of an access token; null when the text is none. */
export function readClaims(accessToken: string): ShownClaims | null {
  const [, payload, signature] = accessToken.split('.');
  if (payload === undefined || signature === undefined) return null;
  try {
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
      character.charCodeAt(0),
    );
    const claims = JSON.parse(new TextDecoder().decode(bytes)) as Partial<ShownClaims>;
    return typeof claims.projectId === 'string' && typeof claims.exp === 'number'
      ? (claims as ShownClaims)
      : null;
  } catch {
    return null;
  }
}
