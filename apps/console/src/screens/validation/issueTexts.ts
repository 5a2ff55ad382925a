import type { ValidationIssue } from '@gatehouse/contract';

/** What the codes mean. */
export const CODE_TITLES: Readonly<Record<ValidationIssue['code'], string>> = {
  TEMPLATE_MISSING: 'No template',
  TEMPLATE_MALFORMED: 'Malformed template',
  CONNECTION_NOT_FOUND: 'Missing connection',
  CATALOG_UNAVAILABLE: 'Catalog not available',
  ENTITY_NOT_FOUND: 'Missing table or dataset',
  FIELD_NOT_FOUND: 'Missing column',
  FILTER_FIELD_NOT_FOUND: 'Missing column of a filter',
  JOIN_KEY_NOT_FOUND: 'Missing column of a join',
  DOMAIN_NOT_FOUND: 'Missing semantic domain',
  DATAMODEL_NOT_FOUND: 'Missing data model',
  VISUAL_NOT_FOUND: 'Missing visual',
  VISUAL_INVALID: 'Invalid visual',
  ASSISTANT_PROFILE_NOT_FOUND: 'Missing assistant profile',
  AI_CONTEXT_INVALID: 'Invalid entity of the assistant',
};

/** What to do about the codes that no rename repairs, where that is not plain from the title. */
export const HINTS: Readonly<Partial<Record<ValidationIssue['code'], string>>> = {
  TEMPLATE_MISSING: 'Give the dashboard a template, or delete it if it is not used.',
  CONNECTION_NOT_FOUND: 'Create the connection, or choose another one in the template.',
  CATALOG_UNAVAILABLE: 'Read the catalog of the connection, then validate again.',
};

/**
 * The codes of names that a rename can repair. Only the calculation of a repair decides whether one is
 * certain: the history of the catalog also has renames to names that are not similar.
 */
const RENAMED: ReadonlySet<ValidationIssue['code']> = new Set([
  'ENTITY_NOT_FOUND',
  'FIELD_NOT_FOUND',
  'FILTER_FIELD_NOT_FOUND',
  'JOIN_KEY_NOT_FOUND',
  'AI_CONTEXT_INVALID',
]);

/** Whether a rename may repair an issue. */
export function mayBeRepaired({ code }: Pick<ValidationIssue, 'code'>): boolean {
  return RENAMED.has(code);
}
