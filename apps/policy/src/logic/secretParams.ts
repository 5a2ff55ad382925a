import { fieldPath, type ClsConfig, type Params, type ParamValue, type RlsConfig } from '@gatehouse/contract';
import { isSecretName } from './placeholders.js';

/** What is shown in the place of a secret value. */
export const MASK = '***';

/** The configs that may hold secret values; those of schemas hold none. */
export interface SecretHolders {
  clsConfig: ClsConfig | null;
  rlsConfig: RlsConfig | null;
}

/** Told of a secret value and its path, such as `clsConfig.params.password@secret`; gives what to put in its place. */
export type SecretChange = (value: ParamValue, path: string) => ParamValue;

type Path = readonly (string | number)[];

function mapAt(params: Params, path: Path, change: SecretChange): Params {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      isSecretName(name) ? change(value, fieldPath([...path, name])) : value,
    ]),
  );
}

/** The params of an assignment with every secret value changed; the others stay as they are. */
export function mapParamSecrets(params: Params, change: SecretChange): Params {
  return mapAt(params, ['params'], change);
}

/** A definition's configs with every secret value changed, for sealing, opening and masking; all else stays as it is. */
export function mapSecrets<T extends SecretHolders>(configs: T, change: SecretChange): T {
  const { clsConfig, rlsConfig } = configs;
  return {
    ...configs,
    clsConfig: clsConfig?.params
      ? {
          ...clsConfig,
          // A change gives a value of the kind it got, or its sealed text.
          params: mapAt(clsConfig.params, ['clsConfig', 'params'], change) as ClsConfig['params'],
        }
      : clsConfig,
    rlsConfig: rlsConfig && {
      ...rlsConfig,
      rules: rlsConfig.rules.map((rule, index) =>
        rule.params
          ? { ...rule, params: mapAt(rule.params, ['rlsConfig', 'rules', index, 'params'], change) }
          : rule,
      ),
    },
  };
}

/** A change that hides what it is told of. */
export const maskSecret: SecretChange = () => MASK;

/** Values with the secret ones shown as `***`. */
export function maskParams(params: Params): Params {
  return mapParamSecrets(params, maskSecret);
}

/** A field of a request that cannot stay as it is, as `params.password@secret`. */
export interface PathFault {
  path: string;
  message: string;
}

/** Collects the secret values of what is stored, by path. */
function secretsBelow(map: (change: SecretChange) => unknown): Map<string, ParamValue> {
  const secrets = new Map<string, ParamValue>();
  map((value, path) => {
    secrets.set(path, value);
    return value;
  });
  return secrets;
}

const NOTHING_TO_KEEP = `is ${MASK}, which keeps the stored value, and none is stored here`;

function keeping(stored: ReadonlyMap<string, ParamValue>, faults: PathFault[]): SecretChange {
  return (value, path) => {
    if (value !== MASK) return value;
    const kept = stored.get(path);
    if (kept === undefined) faults.push({ path, message: NOTHING_TO_KEEP });
    return kept ?? value;
  };
}

/**
 * The params of an assignment as they are after an update: `***`, which a reader was shown in place of a secret, keeps the
 * stored value. It is a fault where none is stored under that name, as on creation (`stored` null).
 */
export function keepParamSecrets(
  update: Params,
  stored: Params | null,
): { params: Params; faults: PathFault[] } {
  const faults: PathFault[] = [];
  const secrets = secretsBelow((change) => mapParamSecrets(stored ?? {}, change));
  return { params: mapParamSecrets(update, keeping(secrets, faults)), faults };
}

/**
 * As `keepParamSecrets`, for the configs of a definition. A rule keeps the secrets of the stored rule at its place, if both have
 * the same name or both have none: after a move the values have to be given again.
 */
export function keepSecrets<T extends SecretHolders>(
  update: T,
  stored: SecretHolders | null,
): { configs: T; faults: PathFault[] } {
  const faults: PathFault[] = [];
  const rules = stored?.rlsConfig?.rules ?? [];
  const isSameRule = (index: number) => rules[index]?.name === update.rlsConfig?.rules[index]?.name;
  const comparable: SecretHolders = {
    clsConfig: stored?.clsConfig ?? null,
    rlsConfig: {
      rules: rules.map((rule, index) => (isSameRule(index) ? rule : { ...rule, params: undefined })),
    },
  };
  const secrets = secretsBelow((change) => mapSecrets(comparable, change));
  return { configs: mapSecrets(update, keeping(secrets, faults)), faults };
}
