import { describe, expect, it } from 'vitest';
import { linkedFromByVisual } from './linkedFrom.js';

/** A dashboard that counts how often its links are read. */
function dashboardOf(id: string, links: readonly string[]) {
  const reads = { count: 0 };
  const dashboard = {
    _id: id,
    projectId: 'p_one',
    ownerKey: 'u:owner',
    ownerType: 'organization' as const,
    ownerTenantKey: null,
    isPrivate: true,
    shares: [],
    get linkedVisualIds() {
      reads.count += 1;
      return links;
    },
  };
  return { dashboard, reads };
}

describe('the dashboards that link visuals', () => {
  it('are found for each of the visuals, and for no other', () => {
    const dashboards = [dashboardOf('d_one', ['v_a', 'v_b', 'v_other']), dashboardOf('d_two', ['v_b'])];
    const found = linkedFromByVisual(
      dashboards.map(({ dashboard }) => dashboard),
      ['v_a', 'v_b', 'v_c'],
    );
    const ids = [...found].map(([visual, linking]) => [visual, linking.map(({ id }) => id)]);
    expect(ids).toEqual([
      ['v_a', ['d_one']],
      ['v_b', ['d_one', 'd_two']],
      ['v_c', []],
    ]);
  });

  it('are looked through once, for any number of visuals', () => {
    const visualIds = Array.from({ length: 1000 }, (_, index) => `v_${index}`);
    const made = Array.from({ length: 50 }, (_, index) => dashboardOf(`d_${index}`, visualIds));
    const found = linkedFromByVisual(
      made.map(({ dashboard }) => dashboard),
      visualIds,
    );
    expect([...found.values()].every((linking) => linking.length === 50)).toBe(true);
    expect(made.map(({ reads }) => reads.count)).toEqual(made.map(() => 1));
    const [first, second] = [...found.values()];
    expect(first?.[0]).toBe(second?.[0]);
  });
});
