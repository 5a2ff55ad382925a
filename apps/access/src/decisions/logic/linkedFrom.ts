import { factsOf, type ResourceFacts } from './access.js';

/** A dashboard and the visuals that it links. */
type LinkingDashboard = Parameters<typeof factsOf>[1] & { linkedVisualIds: readonly string[] };

/**
 * Returns the dashboards that link each of the visuals, by the id of the visual. The links of a dashboard are
 * read once: thousands of dashboards may link thousands of visuals each.
 */
export function linkedFromByVisual(
  dashboards: readonly LinkingDashboard[],
  visualIds: Iterable<string>,
): ReadonlyMap<string, readonly ResourceFacts[]> {
  const byVisual = new Map<string, ResourceFacts[]>();
  for (const id of visualIds) byVisual.set(id, []);
  for (const dashboard of dashboards) {
    const facts = factsOf('dashboard', dashboard);
    for (const id of dashboard.linkedVisualIds) byVisual.get(id)?.push(facts);
  }
  return byVisual;
}
