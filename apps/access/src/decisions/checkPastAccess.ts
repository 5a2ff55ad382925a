import type { AccessCheck, CheckResult } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import type { ResourceKind } from '../resources/kind.js';
import { requireUser } from './authorizeCaller.js';
import { createGrantLimit, type CheckParts } from './checkAccess.js';
import { decidePast, requirePast, type PastDecision } from './decidePast.js';
import { isAtLeast } from './logic/access.js';
import { partsBySubjects, readPastResources, readPastUsers } from './pastFacts.js';

/** The resources of one read: the facts of all of them are in memory together. */
const READ = 100;

/** A question, and its place in the batch. */
interface Placed {
  check: AccessCheck;
  index: number;
}

/** Distributes questions among parts that name at most `READ` resources. */
function* partsByResource(placed: readonly Placed[]): Generator<{ ids: string[]; part: Placed[] }> {
  const all = [...new Set(placed.map(({ check }) => check.resourceId))];
  for (let start = 0; start < all.length; start += READ) {
    const ids = all.slice(start, start + READ);
    const named = new Set(ids);
    yield { ids, part: placed.filter(({ check }) => named.has(check.resourceId)) };
  }
}

function resultOf(decided: PastDecision, { level }: AccessCheck, reasons: boolean): CheckResult {
  if (typeof decided === 'string') return { status: 'rejected', code: decided };
  const { accessLevel } = decided;
  const isAllowed = isAtLeast(accessLevel, level);
  return { status: 'decided', isAllowed, accessLevel, ...(reasons ? { access: decided } : {}) };
}

/**
 * Decides many questions about one moment in the past, each exactly as `explainPastAccess` does. Throws
 * INVALID_REQUEST for a moment in the future and too many grants, and FORBIDDEN for a caller without a role.
 */
export async function checkPastAccess(
  { dashboards, visuals, ...others }: CheckParts,
  { checks, reasons, at }: { checks: readonly AccessCheck[]; reasons: boolean; at: string },
  context: CallContext,
): Promise<{ results: CheckResult[] }> {
  const requester = requireUser(context);
  requirePast(at, requester);
  const reader = { requester, at, context };
  const nameOf = ({ userId = requester.principal.userId }: AccessCheck) => userId;
  const { users } = await readPastUsers(others, { ids: [...new Set(checks.map(nameOf))] }, reader);
  const results: CheckResult[] = [];
  const limited = createGrantLimit();
  const decide = async (kind: ResourceKind, placed: readonly Placed[], subjects: ReadonlySet<string>) => {
    for (const { ids, part } of partsByResource(placed)) {
      const query = { selection: { ids }, subjects };
      const resources = await readPastResources({ kind, dashboards, ...others }, query, reader);
      for (const { check, index } of part) {
        const decided = decidePast(check, { users, resources }, reader);
        results[index] = limited(resultOf(decided, check, reasons));
      }
    }
  };
  const all = checks.map((check, index): Placed => ({ check, index }));
  for (const known of partsBySubjects(users.values())) {
    const due = all.filter(({ check }) => known.users.has(nameOf(check)) || !users.has(nameOf(check)));
    for (const kind of [dashboards, visuals]) {
      const ofKind = due.filter(({ check }) => check.resourceType === kind.type);
      await decide(kind, ofKind, known.subjects);
    }
  }
  return { results };
}
