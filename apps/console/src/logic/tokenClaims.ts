import type { TokenClaims } from '@gatehouse/contract';

/**
 * The claims of a token that the console shows and needs for paths. They are not verified here: the API
 * verifies each request.
 */
export type ShownClaims = Pick<
  TokenClaims,
  'projectId' | 'exp' | 'type' | 'orgUserId' | 'tenantUserId' | 'dashboardId'
>;

/** Reads the claims of an access token; null if the text is not a token. */
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
