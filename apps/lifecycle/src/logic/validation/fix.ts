import type { JsonObject, PatchOperation, TemplateFix, ValidationOptions } from '@gatehouse/contract';
import { replaceText } from './pointer.js';
import { validateTemplate, type TemplateOutcome } from './template.js';
import type { ValidationFacts } from './visuals.js';

/** A table that got another name is corrected first where it is selected, then where it is named, then its columns. */
const ROUNDS_MAX = 4;

type Reported = Extract<TemplateOutcome, { kind: 'report' }>;
export type FixOutcome =
  | Exclude<TemplateOutcome, Reported>
  | {
      kind: 'fixed';
      fixes: TemplateFix[];
      patch: PatchOperation[];
      /** The template after the patch. */
      template: JsonObject | null;
      /** What validation says of that. */
      report: Reported['report'];
    };

/** Applies the sure renames to a copy of a template, until nothing more is sure. */
export function fixTemplate(
  template: JsonObject | null,
  facts: ValidationFacts,
  options: ValidationOptions,
): FixOutcome {
  const fixed = structuredClone(template);
  const fixes: TemplateFix[] = [];
  for (let round = 0; ; round += 1) {
    const outcome = validateTemplate(fixed, facts, { options, collectsFixes: true });
    if (outcome.kind === 'tooLarge') return outcome;
    const isLast = fixed === null || outcome.fixes.length === 0 || round === ROUNDS_MAX;
    if (isLast) {
      const patch = fixes.map(({ path, to }) => ({ op: 'replace' as const, path, value: to }));
      return { kind: 'fixed', fixes, patch, template: fixed, report: outcome.report };
    }
    for (const { path, to } of outcome.fixes) replaceText(fixed, path, to);
    fixes.push(...outcome.fixes);
  }
}
