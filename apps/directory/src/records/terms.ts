import { selectionTerms, termsOf, type Filters } from '@gatehouse/service';
import type { GroupDocument, TenantDocument, UserDocument } from './documents.js';

/** Names and e-mails are short, so that many terms cost little, and so are the searches. */
const RUN = 2;

/** Terms of all records of an organization that meet the filters, about as many as requested. */
export function filterTerms(organizationId: string, filters: Omit<Filters, 'run'>, most: number): number[] {
  return selectionTerms(organizationId, { ...filters, run: RUN }, most);
}

/** The fields from which the terms of each kind of record follow. */
export const TERM_SOURCES = {
  user: ['isActive', 'searchTexts'],
  group: ['nameFolded', 'type', 'tenantId', 'tenantKey'],
  tenant: ['nameFolded'],
} as const;

type Source<T, S extends keyof T> = Pick<T & { organizationId: string }, S | 'organizationId'>;
type UserSource = Source<UserDocument, (typeof TERM_SOURCES.user)[number]>;
type GroupSource = Source<GroupDocument, (typeof TERM_SOURCES.group)[number]>;
type TenantSource = Source<TenantDocument, (typeof TERM_SOURCES.tenant)[number]>;

export function userTerms({ organizationId, isActive, searchTexts }: UserSource): number[] {
  return termsOf(organizationId, { fields: [['isActive', isActive]], texts: searchTexts, run: RUN });
}

export function groupTerms({ organizationId, nameFolded, ...fields }: GroupSource): number[] {
  const { type, tenantId, tenantKey } = fields;
  const given = Object.entries({ type, tenantId, tenantKey }).flatMap(([field, value]) =>
    value === null ? [] : [[field, value] as const],
  );
  return termsOf(organizationId, { fields: given, texts: [nameFolded], run: RUN });
}

export function tenantTerms({ organizationId, nameFolded }: TenantSource): number[] {
  return termsOf(organizationId, { fields: [], texts: [nameFolded], run: RUN });
}
