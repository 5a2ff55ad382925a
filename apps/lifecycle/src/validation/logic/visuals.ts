import type { JsonObject, ValidationOptions } from '@gatehouse/contract';
import { emptyFindings, validateCard } from './card.js';
import { BROKEN_ENTITY, type SchemaFacts } from './schema.js';
import { TemplateNode } from './templateNode.js';
import { LIMITS, LookupBudget, Report, TooLarge } from './report.js';
import { Resources } from './resources.js';
import { scopeOf, type Scope } from './selection.js';

/** The result of a saved visual, without the visuals that it links. */
export interface VisualFacts {
  title: string;
  /** Whether the caller may read it. */
  isReadable: boolean;
  /** Why it is invalid; null when it is valid. */
  fault: string | null;
  /** The scopes of its cards. A dashboard's filters reach these too. */
  scopes: readonly Scope[];
  sqlConnectionIds: ReadonlySet<string>;
  linkedIds: readonly string[];
}

/** The facts that templates are validated against. */
export interface ValidationFacts extends SchemaFacts {
  /** The visuals that the templates link, directly or indirectly, by id. */
  visuals: ReadonlyMap<string, VisualFacts>;
}

/** The visuals that a frame or a template links. */
export function linkedVisualIds(part: unknown): string[] {
  const ids = new Set<string>();
  const addLinkOf = (value: unknown) => {
    const id = fieldOf(value, 'visualId');
    if (typeof id === 'string') ids.add(id);
  };
  addLinkOf(part);
  for (const sheet of listOf(part, 'sheets')) for (const frame of listOf(sheet, 'frames')) addLinkOf(frame);
  return [...ids];
}

function listOf(value: unknown, key: string): readonly unknown[] {
  const list = fieldOf(value, key);
  return Array.isArray(list) ? list : [];
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

/** Stands for a visual that is not inspected, and the reason. */
export function unreadVisual(fault: string, of = { title: '', isReadable: true }): VisualFacts {
  return { ...of, fault, ...NOTHING_READ };
}

/** The visuals that the caller may read. All others must be indistinguishable from missing ones. */
export function readableVisuals(visuals: ReadonlyMap<string, VisualFacts>): Map<string, VisualFacts> {
  return new Map([...visuals].filter(([, { isReadable }]) => isReadable));
}

interface SavedVisual {
  title: string;
  isReadable: boolean;
  frameObject: JsonObject | null;
}

interface InspectionOptions extends ValidationOptions {
  /** The lookups that are left for the visuals of one request. */
  lookups?: LookupBudget;
}

/** Validates the cards of a saved visual. Yields as the validation of a template does. */
export function* inspectVisual(
  { frameObject, ...of }: SavedVisual,
  facts: SchemaFacts,
  { lookups = new LookupBudget(), ...options }: InspectionOptions,
): Generator<void, VisualFacts> {
  if (frameObject === null) return unreadVisual('it has no frame object', of);
  const silent = { ...options, includeSuggestions: false, includeAvailableColumns: false };
  const report = new Report(silent, { lookups });
  const findings = emptyFindings();
  const state = { facts, report, resources: new Resources(), sources: new Map() };
  try {
    const frame = TemplateNode.root(report, frameObject);
    frame.at('visualId').text();
    for (const card of frame.at('cards').items()) yield* validateCard(card, state, findings);
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    return unreadVisual(`it ${error.message}`, of);
  }
  const first = report.issues.find(({ severity }) => severity === 'error');
  const fault = first === undefined ? null : `${first.code} at ${first.path}`;
  const { scopes, sqlConnectionIds } = findings;
  return { ...of, fault, scopes, sqlConnectionIds, linkedIds: linkedVisualIds(frameObject) };
}

/**
 * A visual and the visuals that it links, directly or indirectly, the nearest first; null when they are too
 * many.
 */
export function reachableVisuals(
  id: string,
  visuals: ReadonlyMap<string, VisualFacts>,
): { id: string; visual: VisualFacts | undefined }[] | null {
  const seen = new Set([id]);
  // A set iterates in the order of insertion, including items that are added meanwhile.
  for (const each of seen) {
    for (const linked of visuals.get(each)?.linkedIds ?? []) seen.add(linked);
    if (seen.size > LIMITS.linkedVisuals) return null;
  }
  return [...seen].map((each) => ({ id: each, visual: visuals.get(each) }));
}
