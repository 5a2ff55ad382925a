import { AppError } from '@gatehouse/contract';
import type { CallContext, ServiceClients } from '@gatehouse/service';
import { describe, expect, it } from 'vitest';
import { createTargetLookup } from './resolveTargets.js';

type Lookup = ServiceClients['directory']['subjects']['lookup']['query'];

/** A directory in which every org user exists, except in the organization that fails. */
function startDirectory() {
  const calls: { organizationId: string; ids: string[] }[] = [];
  const query = async ({ orgUserIds = [] }: { orgUserIds?: string[] }, options: { context: CallContext }) => {
    const { organizationId } = options.context.principal;
    calls.push({ organizationId, ids: orgUserIds });
    if (organizationId === 'o_failing') throw new AppError('UNAVAILABLE');
    const orgUsers = orgUserIds.map((id) => ({ id, key: `u:${organizationId} ${id}`, name: id, email: '' }));
    return { orgUsers, tenantUsers: [], tenants: [], groups: [] };
  };
  const lookup = { query: query as unknown as Lookup };
  const directory = { subjects: { lookup } } as unknown as ServiceClients['directory'];
  return { calls, targets: createTargetLookup(directory) };
}

const callOf = (organizationId: string) => ({ principal: { organizationId } }) as unknown as CallContext;
const nameOf = (id: string) => ({ field: 'orgUserId', id }) as const;

describe('the lookup of targets', () => {
  it('makes one call for the concurrent lookups of an organization', async () => {
    const { calls, targets } = startDirectory();
    const keysOf = async (organizationId: string, ...ids: string[]) => {
      const known = await targets.findTargets(callOf(organizationId), ids.map(nameOf));
      return ids.map((id) => known.find(nameOf(id))?.key);
    };
    const found = await Promise.all([
      keysOf('o_one', 'ada', 'ben'),
      keysOf('o_two', 'ada'),
      keysOf('o_one', 'ben'),
      keysOf('o_one'),
    ]);
    expect(found).toEqual([['u:o_one ada', 'u:o_one ben'], ['u:o_two ada'], ['u:o_one ben'], []]);
    expect(calls).toEqual([
      { organizationId: 'o_one', ids: ['ada', 'ben'] },
      { organizationId: 'o_two', ids: ['ada'] },
    ]);
  });

  it('looks up a target again for each later call', async () => {
    const { calls, targets } = startDirectory();
    for (let round = 0; round < 2; round += 1) await targets.findTargets(callOf('o_one'), [nameOf('ada')]);
    expect(calls).toHaveLength(2);
  });

  it('rejects only the lookups of the organization whose call failed', async () => {
    const { targets } = startDirectory();
    const outcomes = await Promise.allSettled(
      ['o_failing', 'o_one'].map((organizationId) =>
        targets.findTargets(callOf(organizationId), [nameOf('ada')]),
      ),
    );
    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: { code: 'UNAVAILABLE' } },
      { status: 'fulfilled' },
    ]);
  });
});
