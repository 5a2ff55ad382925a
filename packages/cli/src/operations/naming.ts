import { kebabCase } from '@gatehouse/contract/command-names';

export { commandNameOf } from '@gatehouse/contract/command-names';

/**
 * A field as an option: `isPrivate` is `is-private`.
 *
 * @param isNamed whether the field refers to a record that has a name: `tenantId` is `tenant`
 */
export function optionOf(field: string, isNamed: boolean): string {
  return kebabCase(isNamed ? field.replace(/Ids?$/, '') : field);
}

/** The name of a path parameter as a positional: `definition` for `definitionId`. */
export function positionalOf(parameter: string, noun: string): string {
  if (parameter !== 'id') return kebabCase(parameter.replace(/Id$/, ''));
  return noun.replace(/ies$/, 'y').replace(/s$/, '');
}
