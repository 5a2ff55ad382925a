import type { JsonObject } from '@gatehouse/contract';
import { outlineOf, rewriteReferences, type Replacement, type SourceVisual } from './facts.js';

/** The content of the copy of a visual. */
export function visualContent(
  { title, description, tags, frameObject }: SourceVisual,
  replacementOf: Replacement,
): JsonObject {
  return {
    title,
    description,
    tags,
    frameObject: rewriteReferences(frameObject, 'frameObject', replacementOf),
  };
}

/** Whether two states of a visual refer to the same records, so that a plan for one suits the other. */
export function hasSameReferences(planned: SourceVisual, present: SourceVisual): boolean {
  const [before, now] = [planned, present].map(({ frameObject }) => JSON.stringify(outlineOf(frameObject)));
  return before === now;
}
