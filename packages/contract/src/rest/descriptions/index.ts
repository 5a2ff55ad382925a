import { auditLogFields } from './auditLog.js';
import { batchFields } from './batches.js';
import { commonFields } from './common.js';
import { directoryFields } from './directory.js';
import { basicEnums } from './enums.js';
import { errorFields } from './errors.js';
import { lifecycleFields } from './lifecycle.js';
import { policyFields } from './policies.js';
import { resourceFields } from './resources.js';
import { semanticsFields } from './semantics.js';
import { NOUNS } from './tags.js';
import type { EnumTexts, FieldTexts } from './texts.js';
import { workEnums } from './workEnums.js';

export { TAG_TEXTS } from './tags.js';

/** Fields that several areas have in common are described by the first of them. */
export const AREAS: readonly FieldTexts[] = [
  commonFields,
  lifecycleFields,
  policyFields,
  semanticsFields,
  directoryFields,
  resourceFields,
  auditLogFields,
  errorFields,
  batchFields,
];
export const ENUM_TEXTS: EnumTexts = { ...basicEnums, ...workEnums };

const VERBS =
  /^(?:Create|Update|Duplicate|Put|Get|List|Delete|Share|Revoke\w*?(?=Dashboard|Visual))(?=[A-Z])/;
const SUFFIXES = /(?:Request|Response|Summary|WithSecret|WithContent|WithWarnings|WithEvent|Item|Input|s)$/;

/** What a component is about: `policy definition` for `CreatePolicyDefinitionRequest`. */
export function nounOf(component: string): string {
  const name = component
    .replace(VERBS, '')
    .replace(SUFFIXES, '')
    .replace(SUFFIXES, '')
    .replace(/^Deleted/, '');
  const words = name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return NOUNS[component] ?? NOUNS[name] ?? words;
}

/** The meaning of null, which only a field that may be null has. */
const MEANING_OF_NULL = /; null[^;]*$/;

/**
 * The description of a field of a component; undefined if there is none.
 * @param isNullable whether the field may be null, or contain null
 */
export function fieldTextOf(component: string, field: string, isNullable: boolean): string | undefined {
  const owners = [component, component.replace(/Input$/, '')];
  const own = owners.flatMap((owner) => AREAS.map((area) => area[owner]?.[field])).find(Boolean);
  const text = own ?? AREAS.map((area) => area['*']?.[field]).find(Boolean);
  const full = text?.replaceAll('{noun}', nounOf(component));
  return isNullable ? full : full?.replace(MEANING_OF_NULL, '');
}
