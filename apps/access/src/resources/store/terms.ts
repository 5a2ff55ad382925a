import { addMissingTerms, termsOf, type Filters, type PlatformCollection } from '@gatehouse/service';
import { foldText, LIVE, type ResourceDocument, type ResourceHeader } from './document.js';

/** The filters of a list. */
export interface FieldFilters {
  search?: string | undefined;
  isPrivate?: boolean | undefined;
  createdBy?: string | undefined;
  tag?: string | undefined;
  tenantId?: string | undefined;
}

/** The run of four keeps the terms of descriptions few. */
const RUN = 4;

/** What finds the resources that meet the filters. */
export function termFiltersOf({ search, isPrivate, createdBy, tag, tenantId }: FieldFilters): Filters {
  const folded = search === undefined ? undefined : foldText(search);
  return { fields: { isPrivate, createdBy, tag, tenantId }, search: folded, run: RUN };
}

const SOURCES = ['tenantId', 'title', 'description', 'isPrivate', 'tags', 'createdBy'] as const;
type Sources = Pick<ResourceHeader, 'projectId' | (typeof SOURCES)[number]>;

/** Returns the field with the terms of a resource. */
export function termFieldsOf(resource: Sources): Required<Pick<ResourceDocument, 'terms'>> {
  const { projectId, tenantId, title, description, isPrivate, tags, createdBy } = resource;
  const fields = [
    ['isPrivate', isPrivate] as const,
    ['createdBy', createdBy] as const,
    ...tags.map((tag) => ['tag', tag] as const),
    ...(tenantId === null ? [] : [['tenantId', tenantId] as const]),
  ];
  const texts = [foldText(title), foldText(description)];
  return { terms: termsOf(projectId, { fields, texts, run: RUN }) };
}

/** See {@link addMissingTerms}. */
export function addMissingResourceTerms(records: PlatformCollection<ResourceDocument>): Promise<void> {
  const derivation = { records, live: LIVE, scope: 'projectId', sources: SOURCES } as const;
  return addMissingTerms({ ...derivation, termsOf: (resource) => termFieldsOf(resource).terms });
}
