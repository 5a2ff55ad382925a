/** The subject that tokens are issued for. */
export interface ProjectCredentials {
  projectId: string;
  projectSecret: string;
  /** The user to act as; without either, the project itself. */
  orgUserId?: string;
  endUserId?: string;
}

/** What a setting of a command comes from. */
export type Source = 'environment' | 'profile' | 'default' | 'none';

/** The server, and the account there. */
export interface Account {
  baseUrl: string;
  /** Credentials, or an access token of the environment. */
  access: ProjectCredentials | { accessToken: string };
  /** The profile that some of it comes from; null if all of it comes from the environment. */
  profile: { name: string; source: 'flag' | 'environment' | 'current' } | null;
  /** What each part comes from. The project and the secret have one source, as a secret fits one project. */
  sources: { baseUrl: Source; credentials: Source; user: Source };
}
