import type { FieldError, Params, ParamValue } from '@gatehouse/contract';
import {
  findKeptSecret,
  HIDDEN,
  replaceConfigSecrets,
  replaceSecrets,
  type PolicyConfigs,
  type SecretParam,
} from '../logic/secretParams.js';

const NOTHING_KEPT = `${HIDDEN} stands for a stored value, and none is stored that it could mean`;

interface Kept<T> {
  kept: T;
  faults: FieldError[];
}

function keeperOf(stored: readonly SecretParam[], faults: FieldError[]): (secret: SecretParam) => ParamValue {
  return (secret) => {
    if (secret.value !== HIDDEN) return secret.value;
    const value = findKeptSecret(secret, stored);
    if (value === undefined) faults.push({ field: secret.path, message: NOTHING_KEPT });
    return value ?? HIDDEN;
  };
}

function secretsIn(replaceAll: (replace: (secret: SecretParam) => ParamValue) => unknown): SecretParam[] {
  const secrets: SecretParam[] = [];
  replaceAll((secret) => {
    secrets.push(secret);
    return secret.value;
  });
  return secrets;
}

/** The configs with the stored value in place of every `***` that came back; null stands for nothing stored. */
export function keepConfigSecrets(wanted: PolicyConfigs, stored: PolicyConfigs | null): Kept<PolicyConfigs> {
  const faults: FieldError[] = [];
  const secrets = stored ? secretsIn((replace) => replaceConfigSecrets(stored, replace)) : [];
  return { kept: replaceConfigSecrets(wanted, keeperOf(secrets, faults)), faults };
}

/** The values with the stored one in place of every `***` that came back. `path` is where they stand. */
export function keepParamSecrets(wanted: Params, stored: Params, path: string): Kept<Params> {
  const faults: FieldError[] = [];
  const secrets = secretsIn((replace) => replaceSecrets(stored, path, replace));
  return { kept: replaceSecrets(wanted, path, keeperOf(secrets, faults)), faults };
}
