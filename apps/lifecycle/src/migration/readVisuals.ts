import { Id, invalidField } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import type { MigrationDependencies } from './dependencies.js';
import { outlineOf, referencesIn, type SourceVisual } from './logic/facts.js';

type Services = Pick<MigrationDependencies, 'services' | 'pageShares'>;

/** The distinct texts that are valid ids. Other texts refer to no record. */
export const idsAmong = (texts: Iterable<string>) =>
  [...new Set(texts)].filter((text) => Id.safeParse(text).success);

/** The most visuals that a dashboard may link, directly or indirectly. */
const VISUALS_MAX = 1000;
/** The most characters of their outlines as JSON, which suffice for about 90 references of each visual. */
const OUTLINES_MAX = 4 * 1024 * 1024;

/**
 * Reads the visuals with these ids that the caller may see, page by page. Keep no body for longer than `use`
 * runs: those of all visuals that a dashboard links can take 20 GB.
 */
export async function readVisualPages(
  { services, pageShares }: Services,
  { ids, use }: { ids: string[]; use: (visuals: SourceVisual[]) => Promise<void> | void },
  context: CallContext,
): Promise<void> {
  let afterId: string | null = '';
  while (ids.length > 0 && afterId !== null) {
    const query = { ids, ...(afterId !== '' && { afterId }) };
    afterId = await pageShares.run(context.principal.organizationId, async () => {
      const page = await services.access.copies.visuals.query(query, { context });
      await use(page.visuals);
      return page.nextAfterId;
    });
  }
}

/**
 * Reads the visuals that the dashboard links, directly or indirectly, with the outlines of their bodies.
 * Throws INVALID_REQUEST for too many visuals or references.
 */
export async function readVisuals(
  deps: Services,
  linked: Iterable<string>,
  context: CallContext,
): Promise<Map<string, SourceVisual>> {
  const visuals = new Map<string, SourceVisual>();
  const requested = new Set<string>();
  let size = 0;
  let wanted = idsAmong(linked);
  while (wanted.length > 0) {
    for (const id of wanted) requested.add(id);
    if (requested.size > VISUALS_MAX)
      throw invalidField('id', `the dashboard links more than ${VISUALS_MAX} visuals`);
    const level: SourceVisual[] = [];
    const use = (page: readonly SourceVisual[]) => {
      const outlined = page.map((visual) => ({ ...visual, frameObject: outlineOf(visual.frameObject) }));
      for (const { frameObject } of outlined) size += JSON.stringify(frameObject).length;
      if (size > OUTLINES_MAX)
        throw invalidField('id', 'the visuals that the dashboard links have too many references');
      level.push(...outlined);
    };
    await readVisualPages(deps, { ids: wanted, use }, context);
    for (const visual of level) visuals.set(visual.id, visual);
    const next = level.flatMap(({ frameObject }) => [...referencesIn(frameObject, 'frameObject').visual]);
    wanted = idsAmong(next).filter((id) => !requested.has(id));
  }
  return visuals;
}
