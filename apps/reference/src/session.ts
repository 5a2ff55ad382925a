/** The access token that the reader gave, which is kept in this module's memory and nowhere else. */
export interface Session {
  readonly token: string;
  /** What the token says of itself: `projectId`, and `orgUserId` where it is an org user's. */
  readonly facts: ReadonlyMap<string, string>;
  /** Takes another token. Gives whether it has the form of one. */
  use(token: string): boolean;
}

/** The claims of a token, unverified: they fill in examples, and the server alone decides what they are good for. */
function readClaims(token: string): Record<string, unknown> | null {
  try {
    const part = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(part), (character) => character.charCodeAt(0));
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === 'object' ? (claims as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

export function createSession(): Session {
  let token = '';
  let facts: ReadonlyMap<string, string> = new Map();
  return {
    get token() {
      return token;
    },
    get facts() {
      return facts;
    },
    use(given) {
      token = given.trim().replace(/^Bearer +/i, '');
      const claims = readClaims(token);
      const entries = ['projectId', 'orgUserId'].map((name) => [name, claims?.[name]] as const);
      facts = new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
      return claims !== null;
    },
  };
}
