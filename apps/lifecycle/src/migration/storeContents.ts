import type { CallContext } from '@gatehouse/service';
import type { MigrationDependencies } from './dependencies.js';
import type { MigrationDocument } from './documents.js';
import { recordOf, type SourceFacts, type SourceVisual } from './logic/facts.js';
import type { MigrationPlan, PlannedStep } from './logic/plan.js';
import { hasSameReferences, visualContent } from './logic/visualCopies.js';
import { readVisualPages } from './readVisuals.js';
import { FORMER } from './store.js';

type Texts = Map<string, string>;

interface Planned {
  document: Pick<MigrationDocument, 'contentsKey' | 'createdAt'>;
  source: Pick<SourceFacts, 'visuals'>;
  plan: Pick<MigrationPlan, 'steps' | 'former' | 'replacementOf'>;
}

const isVisual = ({ action }: PlannedStep) => action === 'createVisual';

/** The contents of all steps but those of visuals, whose bodies the plan does not have. */
function plannedTexts({ plan: { steps, former } }: Planned): Texts {
  const written = steps.filter((step) => step.content !== null && !isVisual(step));
  const texts = new Map(written.map(({ name, content }) => [name, JSON.stringify(content)]));
  return former === null ? texts : texts.set(FORMER, JSON.stringify(former));
}

/**
 * The contents of the copies of some visuals. A visual that refers to something else than it did when the
 * plan was made has none. Other changes are found when the plan is verified, before anything is written.
 */
function visualTexts({ source, plan }: Planned, visuals: readonly SourceVisual[]): Texts {
  const names = new Map(plan.steps.filter(isVisual).map(({ name, sourceId }) => [sourceId, name]));
  const suited = visuals.filter((visual) => hasSameReferences(recordOf(source.visuals, visual.id), visual));
  return new Map(
    suited.map((visual) => [
      names.get(visual.id) ?? '',
      JSON.stringify(visualContent(visual, plan.replacementOf)),
    ]),
  );
}

/**
 * Stores the contents of a plan's steps. The bodies of visuals are read again, page by page, because all of
 * them may not fit in memory.
 */
export async function storeContents(
  deps: Pick<MigrationDependencies, 'store' | 'services' | 'pageShares'>,
  planned: Planned,
  context: CallContext,
): Promise<void> {
  const { document, plan } = planned;
  const insert = (texts: Texts) => deps.store.insertContents(document.contentsKey, texts, document.createdAt);
  await insert(plannedTexts(planned));
  const ids = plan.steps.filter(isVisual).flatMap(({ sourceId }) => sourceId ?? []);
  const use = (page: SourceVisual[]) => insert(visualTexts(planned, page));
  await readVisualPages(deps, { ids, use }, context);
}
