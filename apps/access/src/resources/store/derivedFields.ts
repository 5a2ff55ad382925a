import {
  foldText,
  searchTextOf,
  type ResourceChange,
  type ResourceDocument,
  type ResourceHeader,
} from './document.js';
import { termFieldsOf } from './lists.js';

type TextFields = Pick<ResourceDocument, 'titleFolded' | 'searchText'>;
type DerivedFields = TextFields & ReturnType<typeof termFieldsOf>;

/** Returns the fields that sort and search a resource. */
function textFieldsOf(resource: Pick<ResourceHeader, 'title' | 'description'>): TextFields {
  return { titleFolded: foldText(resource.title), searchText: searchTextOf(resource) };
}

const TEXT_SOURCES = ['title', 'description'] as const;
const TERM_SOURCES = [...TEXT_SOURCES, 'tags', 'isPrivate', 'tenantId', 'createdBy'] as const;

/** Returns the fields of lists that derive from others, except for the shares and readers. */
export function allDerivedFieldsOf(resource: ResourceHeader): DerivedFields {
  return { ...textFieldsOf(resource), ...termFieldsOf(resource) };
}

/** Returns those of these fields that a change affects, after the change. */
export function derivedFieldsOf(after: ResourceHeader, change: ResourceChange): Partial<DerivedFields> {
  return {
    ...(TEXT_SOURCES.some((field) => field in change) ? textFieldsOf(after) : {}),
    ...(TERM_SOURCES.some((field) => field in change) ? termFieldsOf(after) : {}),
  };
}
