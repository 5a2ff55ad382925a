import type { JsonObject, ValidationOptions } from '@gatehouse/contract';
import { emptyFindings, validateCard } from './card.js';
import { BROKEN_ENTITY, type SchemaFacts } from './facts.js';
import { Place } from './place.js';
import { LIMITS, Report, TooLarge } from './report.js';
import { Resources } from './resources.js';
import { scopeOf, type Scope } from './selection.js';

/** What a saved visual came to by itself, without the visuals that it links. */
export interface VisualFacts {
  title: string;
  /** Why it is invalid; null when it is not. */
  fault: string | null;
  /** What its cards look their fields up in: a dashboard's filters reach these too. */
  scopes: readonly Scope[];
  sqlConnectionIds: ReadonlySet<string>;
  linkedIds: readonly string[];
}

/** What templates are validated against. */
export interface ValidationFacts extends SchemaFacts {
  /** Those that the templates link, and those that these link in turn, by id. */
  visuals: ReadonlyMap<string, VisualFacts>;
}

/** The visuals that a part of a template links: that of a frame, or those of all frames of all sheets. */
export function linkedVisualIds(part: unknown): string[] {
  const ids = new Set<string>();
  const listOf = (value: unknown, key: string): unknown[] => {
    const list = fieldOf(value, key);
    return Array.isArray(list) ? list : [];
  };
  const frames = listOf(part, 'sheets').flatMap((sheet) => listOf(sheet, 'frames'));
  for (const frame of [part, ...frames]) {
    const id = fieldOf(frame, 'visualId');
    if (typeof id === 'string') ids.add(id);
  }
  return [...ids];
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

const NOTHING_READ = {
  scopes: [scopeOf(BROKEN_ENTITY)],
  sqlConnectionIds: new Set<string>(),
  linkedIds: [],
} as const;

/** Stands for a visual that is not looked into, for this reason. */
export function unreadVisual(fault: string, title = ''): VisualFacts {
  return { title, fault, ...NOTHING_READ };
}

interface SavedVisual {
  title: string;
  frameObject: JsonObject | null;
}

/** Validates the cards of a saved visual. */
export function inspectVisual(
  { title, frameObject }: SavedVisual,
  facts: SchemaFacts,
  options: ValidationOptions,
): VisualFacts {
  if (frameObject === null) return unreadVisual('it has no frame object', title);
  const report = new Report({ ...options, includeSuggestions: false, includeAvailableColumns: false });
  const findings = emptyFindings();
  const validating = {
    facts,
    report,
    resources: new Resources(),
    sources: new Map(),
  };
  try {
    const frame = Place.root(report, frameObject);
    frame.at('visualId').text();
    for (const card of frame.at('cards').items()) validateCard(card, validating, findings);
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    return unreadVisual(`it ${error.message}`, title);
  }
  const first = report.issues.find(({ severity }) => severity === 'error');
  const fault = first === undefined ? null : `${first.code} at ${first.path}`;
  const { scopes, sqlConnectionIds } = findings;
  return { title, fault, scopes, sqlConnectionIds, linkedIds: linkedVisualIds(frameObject) };
}

/** A visual and all that it links, directly or not, each once, the nearest first; null when they are too many. */
export function reachableVisuals(
  id: string,
  visuals: ReadonlyMap<string, VisualFacts>,
): { id: string; visual: VisualFacts | undefined }[] | null {
  const seen = new Set([id]);
  // A set is walked through in the order of insertion, what is added meanwhile included.
  for (const each of seen) {
    for (const linked of visuals.get(each)?.linkedIds ?? []) seen.add(linked);
    if (seen.size > LIMITS.linkedVisuals) return null;
  }
  return [...seen].map((each) => ({ id: each, visual: visuals.get(each) }));
}
