import { fieldTerm, searchTerms, termsOf, type PlatformCollection } from '@gatehouse/service';
import type { IndexDescription } from 'mongodb';
import { foldText, LIVE, type ResourceDocument, type ResourceHeader } from './document.js';

export const TERMS_INDEX = 'terms';

/** Finds resources by the values of their fields and parts of their texts, for lists with filters. */
export const TERMS: IndexDescription = { key: { terms: 1 }, name: TERMS_INDEX };

/** The filters of a list. */
interface Filters {
  search?: string | undefined;
  isPrivate?: boolean | undefined;
  createdBy?: string | undefined;
  tag?: string | undefined;
  tenantId?: string | undefined;
}

/** Up to a number of items, evenly spread over a list. */
function spreadOver<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, items.length / count);
  return items.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
}

/** Terms that all resources with these properties have: those of all fields, and some of the search. */
export function selectionTerms(projectId: string, filters: Filters, most: number): number[] {
  const { search, isPrivate, createdBy, tag, tenantId } = filters;
  const fields = Object.entries({ isPrivate, createdBy, tag, tenantId }).flatMap(([field, value]) =>
    value === undefined ? [] : [fieldTerm(projectId, [field, value])],
  );
  const ofSearch = search === undefined ? [] : searchTerms(projectId, foldText(search));
  return [...fields, ...spreadOver(ofSearch, Math.max(2, most - fields.length))];
}

type Sources = Pick<
  ResourceHeader,
  'projectId' | 'tenantId' | 'title' | 'description' | 'isPrivate' | 'tags' | 'createdBy'
>;

/** Returns the field with the terms of a resource. */
export function termFieldsOf(resource: Sources): Required<Pick<ResourceDocument, 'terms'>> {
  const { projectId, tenantId, title, description, isPrivate, tags, createdBy } = resource;
  const fields = [
    ['isPrivate', isPrivate] as const,
    ['createdBy', createdBy] as const,
    ...tags.map((tag) => ['tag', tag] as const),
    ...(tenantId === null ? [] : [['tenantId', tenantId] as const]),
  ];
  return { terms: termsOf(projectId, { fields, texts: [foldText(title), foldText(description)] }) };
}

const BATCH = 200;
const SOURCES = {
  projectId: 1,
  tenantId: 1,
  title: 1,
  description: 1,
  isPrivate: 1,
  tags: 1,
  createdBy: 1,
  revision: 1,
};

/** Derives the terms of the resources that a former release wrote. Lists find them meanwhile, but slower. */
export async function addMissingTerms(resources: PlatformCollection<ResourceDocument>): Promise<void> {
  const missing = { terms: null, ...LIVE };
  const options = { projection: SOURCES, limit: BATCH, hint: TERMS_INDEX };
  for (;;) {
    const found = await resources.find<Sources & Pick<ResourceDocument, '_id' | 'revision'>>(
      missing,
      options,
    );
    for (const { _id, revision, ...resource } of found)
      await resources.updateOne(
        { projectId: resource.projectId, _id, revision },
        { update: { $set: termFieldsOf(resource) } },
      );
    if (found.length < BATCH) return;
  }
}
