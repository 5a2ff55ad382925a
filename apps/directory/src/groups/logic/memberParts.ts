/** A part of the members of a very large group, as the group lists it. */
export interface MemberPart {
  id: string;
  count: number;
  /** The time at which the last of them joined. */
  last: Date;
}

/** A group, as far as the places of its members go. */
export interface Partitioned {
  /** The number of all members. */
  memberCount: number;
  /** The parts of the members who joined first; absent if there are none. */
  parts?: MemberPart[];
}

/** What the order of the members of a group depends on. */
interface Placed {
  id: string;
  addedAt: Date;
}

/** Compares memberships by the order of their lists. */
export function compareMembers(one: Placed, other: Placed): number {
  return one.addedAt.getTime() - other.addedAt.getTime() || (one.id < other.id ? -1 : 1);
}

/** Returns the number of members in the document of the group. */
export function countOutsideParts({ memberCount, parts = [] }: Partitioned): number {
  return parts.reduce((count, part) => count - part.count, memberCount);
}

/**
 * Returns the time at which a member joins now: after every member of the parts, also if the clock of another
 * process is ahead. The parts therefore have the members who joined first.
 */
export function joiningTime({ parts = [] }: Pick<Partitioned, 'parts'>, now: Date): Date {
  const last = parts.at(-1)?.last.getTime() ?? 0;
  return new Date(Math.max(now.getTime(), last + 1));
}

/** Splits members into runs of at most `size`. */
export function splitMembers<M>(members: readonly M[], size: number): M[][] {
  const count = Math.ceil(members.length / size);
  return Array.from({ length: count }, (_, index) => members.slice(index * size, (index + 1) * size));
}

/** Describes sorted members, of whom there is at least one, as a part. */
export function describePart(id: string, members: readonly Placed[]): MemberPart {
  const last = members.at(-1);
  if (last === undefined) throw new RangeError('A part has at least one member');
  return { id, count: members.length, last: last.addedAt };
}

/** Adjacent parts that become one, or one part. */
export interface Run {
  parts: MemberPart[];
  /** The number of members that are left. */
  count: number;
}

/**
 * Joins adjacent parts that have few members left, and omits empty ones. Two neighbours then have more than
 * `size` members together, so a group has at most twice as many parts as it needs.
 *
 * @param leftIn returns the number of members that are left in a part
 */
export function joinParts(
  parts: readonly MemberPart[],
  leftIn: (part: MemberPart) => number,
  size: number,
): Run[] {
  const runs: Run[] = [];
  for (const part of parts) {
    const count = leftIn(part);
    const last = runs.at(-1);
    if (count === 0) continue;
    if (last !== undefined && last.count + count <= size) {
      last.parts.push(part);
      last.count += count;
    } else runs.push({ parts: [part], count });
  }
  return runs;
}
