import {
  fieldPath,
  type ClsConfig,
  type Params,
  type ParamValue,
  type RlsConfig,
  type SlsConfig,
} from '@gatehouse/contract';
import { isSecretName } from '@gatehouse/contract/placeholders';

/** Replaces a secret value in responses. In an update it stands for the stored value. */
export const HIDDEN = '***';

export interface PolicyConfigs {
  clsConfig: ClsConfig | null;
  slsConfig: SlsConfig | null;
  rlsConfig: RlsConfig | null;
}

/** A value whose name ends in `@secret`, and its place. */
export interface SecretParam {
  /** Such as `clsConfig.params.password@secret`. */
  path: string;
  name: string;
  /** The name of its rule; null outside rules and for a rule without a name. */
  ruleName: string | null;
  value: ParamValue;
}

/** Returns the replacement of a secret value. */
export type SecretReplacement = (secret: SecretParam) => ParamValue;

interface Place {
  path: string;
  ruleName: string | null;
}

function replaceAt(params: Params, { path, ruleName }: Place, replace: SecretReplacement): Params {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      isSecretName(name) ? replace({ path: fieldPath([path, name]), name, ruleName, value }) : value,
    ]),
  );
}

/** The params at `path` with every secret value replaced; the others stay as they are. */
export function replaceSecrets(params: Params, path: string, replace: SecretReplacement): Params {
  return replaceAt(params, { path, ruleName: null }, replace);
}

function replaceInCls(config: ClsConfig, replace: SecretReplacement): ClsConfig {
  if (config.params === undefined) return config;
  const params = replaceAt(config.params, { path: 'clsConfig.params', ruleName: null }, replace);
  // A replacement has the type of the value that it replaces, or is text.
  return { ...config, params: params as ClsConfig['params'] };
}

function replaceInRules({ rules }: RlsConfig, replace: SecretReplacement): RlsConfig {
  return {
    rules: rules.map((rule, index) => {
      if (rule.params === undefined) return rule;
      const place = { path: `rlsConfig.rules[${index}].params`, ruleName: rule.name ?? null };
      return { ...rule, params: replaceAt(rule.params, place, replace) };
    }),
  };
}

/** The configs with every secret value replaced; all else stays as it is. */
export function replaceConfigSecrets(configs: PolicyConfigs, replace: SecretReplacement): PolicyConfigs {
  const { clsConfig, slsConfig, rlsConfig } = configs;
  return {
    clsConfig: clsConfig && replaceInCls(clsConfig, replace),
    slsConfig,
    rlsConfig: rlsConfig && replaceInRules(rlsConfig, replace),
  };
}

/**
 * The stored value that `***` stands for: the one of the same name in the same place, in a rule of the same
 * name. A named rule that was moved keeps its values if no other rule has its name. Undefined if no stored
 * value matches.
 */
export function findStoredSecret(
  { path, name, ruleName }: Omit<SecretParam, 'value'>,
  stored: readonly SecretParam[],
): ParamValue | undefined {
  const alike = stored.filter((secret) => secret.name === name && secret.ruleName === ruleName);
  const inPlace = alike.find((secret) => secret.path === path);
  if (inPlace !== undefined || ruleName === null) return inPlace?.value;
  return alike.length === 1 ? alike[0]?.value : undefined;
}
