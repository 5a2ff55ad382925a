import type { FieldError, Params, ParamValue } from '@gatehouse/contract';
import {
  findStoredSecret,
  HIDDEN,
  replaceConfigSecrets,
  replaceSecrets,
  type PolicyConfigs,
  type SecretParam,
} from './logic/secretParams.js';

const NOTHING_STORED = `${HIDDEN} stands for a stored value, and none is stored that it could mean`;

interface Kept<T> {
  kept: T;
  faults: FieldError[];
}

function restorerOf(
  stored: readonly SecretParam[],
  faults: FieldError[],
): (secret: SecretParam) => ParamValue {
  return (secret) => {
    if (secret.value !== HIDDEN) return secret.value;
    const value = findStoredSecret(secret, stored);
    if (value === undefined) faults.push({ field: secret.path, message: NOTHING_STORED, code: 'reference' });
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

/** The configs, with each `***` replaced by the stored value. Null means that nothing is stored. */
export function restoreConfigSecrets(
  wanted: PolicyConfigs,
  stored: PolicyConfigs | null,
): Kept<PolicyConfigs> {
  const faults: FieldError[] = [];
  const secrets = stored ? secretsIn((replace) => replaceConfigSecrets(stored, replace)) : [];
  return { kept: replaceConfigSecrets(wanted, restorerOf(secrets, faults)), faults };
}

/** The values, with each `***` replaced by the stored value. `path` is the path of the values. */
export function restoreParamSecrets(wanted: Params, stored: Params, path: string): Kept<Params> {
  const faults: FieldError[] = [];
  const secrets = secretsIn((replace) => replaceSecrets(stored, path, replace));
  return { kept: replaceSecrets(wanted, path, restorerOf(secrets, faults)), faults };
}

const isGiven = ({ value }: SecretParam) => value !== HIDDEN;

/** Whether the configs contain a secret value, and not `***` in its place. */
export function containsConfigSecret(wanted: PolicyConfigs): boolean {
  return secretsIn((replace) => replaceConfigSecrets(wanted, replace)).some(isGiven);
}

/** Whether the params contain a secret value, and not `***` in its place. */
export function containsParamSecret(wanted: Params): boolean {
  return secretsIn((replace) => replaceSecrets(wanted, '', replace)).some(isGiven);
}
