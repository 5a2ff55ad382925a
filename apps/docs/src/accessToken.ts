/**
 * The claims of an access token that fill in examples: `projectId`, and `orgUserId` if it has one. They are
 * not verified: only the server decides about access.
 */
export function readClaims(token: string): ReadonlyMap<string, string> {
  const claims = decodeClaims(token);
  const entries = ['projectId', 'orgUserId'].map((name) => [name, claims[name]] as const);
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function decodeClaims(token: string): Record<string, unknown> {
  try {
    const part = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(part), (character) => character.charCodeAt(0));
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === 'object' && claims !== null ? (claims as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
