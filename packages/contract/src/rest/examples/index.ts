import { auditExamples } from './audit.js';
import type { Example, Examples, OperationId } from './example.js';
import { lifecycleExamples } from './lifecycle.js';
import { organizationExamples } from './organization.js';
import { policyExamples } from './policies.js';
import { resourceExamples } from './resources.js';
import { semanticsExamples } from './semantics.js';

export type { Example, OperationId } from './example.js';

/** An example for every route. A missing one, or one of an unknown route, does not compile. */
export const examples: Examples = {
  ...organizationExamples,
  ...resourceExamples,
  ...semanticsExamples,
  ...policyExamples,
  ...lifecycleExamples,
  ...auditExamples,
} satisfies Examples & Record<Exclude<OperationIdOfExamples, OperationId>, never>;

type OperationIdOfExamples = keyof (typeof organizationExamples &
  typeof resourceExamples &
  typeof semanticsExamples &
  typeof policyExamples &
  typeof lifecycleExamples &
  typeof auditExamples);

/** The examples in an order in which each finds its records; the last ones delete them again. */
export function orderExamples(): [OperationId, Example][] {
  const all = Object.entries(examples) as [OperationId, Example][];
  const ofStep = (step: Example['step']) => all.filter(([, example]) => example.step === step);
  return [...ofStep('make'), ...ofStep(undefined), ...ofStep('end').toReversed()];
}
