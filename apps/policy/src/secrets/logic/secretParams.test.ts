import { describe, expect, it } from 'vitest';
import {
  findStoredSecret,
  HIDDEN,
  replaceConfigSecrets,
  replaceSecrets,
  type PolicyConfigs,
  type SecretParam,
} from './secretParams.js';

const matcher = { type: 'SCHEMA' as const, schema: 's' };
const CONFIGS: PolicyConfigs = {
  clsConfig: { connectionTemplate: 'db://{{ pw@secret }}', params: { 'pw@secret': 'hunter2', host: 'h' } },
  slsConfig: { schema: 'a' },
  rlsConfig: {
    rules: [
      { matcher, expression: 'a', enabled: true },
      { name: 'named', matcher, expression: 'b', enabled: true, params: { 'k@secret': [1, 2], x: 'y' } },
    ],
  },
};

function secretsOf(configs: PolicyConfigs): SecretParam[] {
  const secrets: SecretParam[] = [];
  replaceConfigSecrets(configs, (secret) => {
    secrets.push(secret);
    return secret.value;
  });
  return secrets;
}

describe('secret params', () => {
  it('are found with their place wherever a config may contain them', () => {
    expect(secretsOf(CONFIGS)).toEqual([
      { path: 'clsConfig.params.pw@secret', name: 'pw@secret', ruleName: null, value: 'hunter2' },
      { path: 'rlsConfig.rules[1].params.k@secret', name: 'k@secret', ruleName: 'named', value: [1, 2] },
    ]);
  });

  it('are replaced without changing anything else', () => {
    const hidden = replaceConfigSecrets(CONFIGS, () => HIDDEN);
    const text = JSON.stringify(hidden);
    expect(text).not.toMatch(/hunter2|\[1,2\]/);
    const back = replaceConfigSecrets(hidden, ({ name }) => (name === 'pw@secret' ? 'hunter2' : [1, 2]));
    expect(back).toEqual(CONFIGS);
    expect(replaceConfigSecrets(CONFIGS, ({ value }) => value)).toEqual(CONFIGS);
  });

  it('are replaced in the values of an assignment', () => {
    const paths: string[] = [];
    const params = replaceSecrets({ 'a@secret': 'x', secret: 'y', b: 1 }, 'params', ({ path }) => {
      paths.push(path);
      return HIDDEN;
    });
    expect(params).toEqual({ 'a@secret': HIDDEN, secret: 'y', b: 1 });
    expect(paths).toEqual(['params.a@secret']);
  });

  it('leave configs without secrets unchanged', () => {
    const none = { clsConfig: { connectionTemplate: 'x' }, slsConfig: null, rlsConfig: null };
    expect(replaceConfigSecrets(none, () => HIDDEN)).toEqual(none);
  });
});

describe('a *** in an update', () => {
  const stored = secretsOf(CONFIGS);
  const at = (path: string, name: string, ruleName: string | null = null) =>
    findStoredSecret({ path, name, ruleName }, stored);

  it('refers to the stored value of the same place', () => {
    expect(at('clsConfig.params.pw@secret', 'pw@secret')).toBe('hunter2');
    expect(at('rlsConfig.rules[1].params.k@secret', 'k@secret', 'named')).toEqual([1, 2]);
  });

  it('follows a moved rule by its name', () => {
    expect(at('rlsConfig.rules[0].params.k@secret', 'k@secret', 'named')).toEqual([1, 2]);
  });

  it('refers to nothing in a rule of another name, or under another name', () => {
    expect(at('rlsConfig.rules[1].params.k@secret', 'k@secret', 'other')).toBeUndefined();
    expect(at('rlsConfig.rules[1].params.k@secret', 'k@secret')).toBeUndefined();
    expect(at('clsConfig.params.new@secret', 'new@secret')).toBeUndefined();
    expect(at('rlsConfig.rules[0].params.pw@secret', 'pw@secret')).toBeUndefined();
  });

  it('refers to nothing if two rules have the name', () => {
    const twins = stored.flatMap((each) => [each, { ...each, path: each.path.replace('[1]', '[2]') }]);
    const moved = { path: 'rlsConfig.rules[0].params.k@secret', name: 'k@secret', ruleName: 'named' };
    expect(findStoredSecret(moved, twins)).toBeUndefined();
  });
});
