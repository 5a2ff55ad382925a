/** A share that was granted with an end. */
export interface ExpiringShare {
  id: string;
  resourceId: string;
  resourceType: 'dashboard' | 'visual';
  role: string;
  scope: string;
  targetId: string | null;
  expiresAt: string;
}

interface Entry {
  type: string;
  data: Readonly<Record<string, unknown>>;
}

interface RecordedShare {
  id?: unknown;
  role?: unknown;
  scope?: unknown;
  targetId?: unknown;
  expiresAt?: unknown;
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');

function sharesOf({ data }: Entry): RecordedShare[] {
  return Array.isArray(data['shares']) ? (data['shares'] as RecordedShare[]) : [];
}

/**
 * The shares that end within a period, the earliest first, by entries of the audit log in the order of time,
 * the latest first. The last entry about a share decides, because a share can be granted again or revoked.
 */
export function findExpiring(entries: readonly Entry[], from: number, until: number): ExpiringShare[] {
  const decided = new Set<string>();
  const found: ExpiringShare[] = [];
  for (const entry of entries)
    for (const share of sharesOf(entry)) {
      const id = text(share.id);
      if (id === '' || decided.has(id)) continue;
      decided.add(id);
      const expiresAt = text(share.expiresAt);
      const end = Date.parse(expiresAt);
      if (!entry.type.endsWith('_share.granted.v1') || !(end > from && end <= until)) continue;
      found.push({
        id,
        resourceId: text(entry.data['resourceId']),
        resourceType: entry.type.includes('visual') ? 'visual' : 'dashboard',
        role: text(share.role),
        scope: text(share.scope),
        targetId: typeof share.targetId === 'string' ? share.targetId : null,
        expiresAt,
      });
    }
  return found.toSorted((one, other) => one.expiresAt.localeCompare(other.expiresAt));
}
