import { isSecretName } from '@gatehouse/contract/placeholders';

type Values = Readonly<Record<string, unknown>>;

/** Fields of forms whose saved value is not readable. */
const SECRETS = new Set(['password', 'token']);

/** The names and values of the secret placeholders at any depth. */
function secretsOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    isSecretName(name) ? [[name, inner]] : secretsOf(inner),
  );
}

/**
 * Whether a change of a form replaces, adds or removes a secret. It cannot be undone: the former value is
 * unknown, and its placeholder `***` stands for the stored value, which is the new one by then.
 */
export function changesSecret(former: Values, changes: Values): boolean {
  return Object.entries(changes).some(
    ([name, value]) =>
      SECRETS.has(name) || JSON.stringify(secretsOf(value)) !== JSON.stringify(secretsOf(former[name])),
  );
}
