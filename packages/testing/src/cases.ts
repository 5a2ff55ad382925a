import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  AccessLevel,
  GrantPath,
  GroupType,
  OrgUserRole,
  ShareScope,
  TenantUserRole,
  UserRole,
  type ResourceType,
} from '@gatehouse/contract';
import { parse } from 'yaml';
import { z } from 'zod';
import {
  mergeShares,
  targetsOf,
  type Organization,
  type OrganizationResource,
  type OrganizationShare,
} from './organizations.js';

const HOUR_MS = 3_600_000;

/** A name inside its case. */
const Name = z.string().regex(/^[A-Za-z][A-Za-z0-9]*$/, 'must be letters and digits');
const Target = { scope: ShareScope, target: Name.optional(), by: Name.optional() };
const CaseShare = z.strictObject({
  ...Target,
  role: AccessLevel,
  expires: z.enum(['past', 'future']).optional(),
});
const Resource = {
  owner: Name,
  isPrivate: z.boolean().default(true),
  shares: z.array(CaseShare).default([]),
  revoked: z.array(z.strictObject(Target)).default([]),
  takenOverBy: Name.optional(),
};
const Directory = {
  tenants: z.array(Name).default([]),
  users: z
    .record(
      Name,
      z.strictObject({
        role: UserRole,
        tenant: Name.optional(),
        later: z.strictObject({ role: UserRole.optional(), isActive: z.boolean().optional() }).default({}),
      }),
    )
    .default({}),
  groups: z
    .record(
      Name,
      z.strictObject({ type: GroupType, tenant: Name.optional(), members: z.array(Name).default([]) }),
    )
    .default({}),
};

/** The expected access of one user: a level and the path of the winning grant, or none. */
export interface ExpectedAccess {
  level: AccessLevel;
  path: GrantPath;
}
const EXPECTED = new RegExp(`^(${AccessLevel.options.join('|')}) by (${GrantPath.options.join('|')})$`);
const Expected = z.string().transform((value, context): ExpectedAccess | null => {
  if (value === 'none') return null;
  const [, level, path] = EXPECTED.exec(value) ?? [];
  if (level !== undefined && path !== undefined)
    return { level: AccessLevel.parse(level), path: GrantPath.parse(path) };
  context.addIssue({
    code: 'custom',
    message: 'must be none or a level and a path, such as EDITOR by group',
  });
  return z.NEVER;
});

const CaseBody = z.strictObject({
  name: z.string().min(1),
  why: z.string().regex(/^[A-Z].{20,}\.$/s, 'must be a sentence'),
  ...Directory,
  dashboards: z.record(Name, z.strictObject({ ...Resource, links: z.array(Name).default([]) })).default({}),
  visuals: z.record(Name, z.strictObject(Resource)).default({}),
  expect: z.record(Name, z.record(Name, Expected)),
});
type CaseBody = z.infer<typeof CaseBody>;
const CaseFile = z.strictObject({
  given: z.strictObject(Directory).prefault({}),
  cases: z.array(CaseBody).min(1),
});

/**
 * One case: an organization that is created in the order of cases/README.md, and the expected access of all
 * users.
 */
export interface AccessCase extends Omit<CaseBody, 'expect'> {
  file: string;
  /** By resource, then by user: every resource, every user. Null is no access. */
  expected: Record<string, Record<string, ExpectedAccess | null>>;
}

function checkUsers({ tenants, users, groups }: CaseBody): string[] {
  const faults: string[] = [];
  for (const [name, { role, tenant, later }] of Object.entries(users)) {
    const roles: readonly string[] = (tenant === undefined ? OrgUserRole : TenantUserRole).options;
    if (tenant !== undefined && !tenants.includes(tenant)) faults.push(`${name} is of an unknown tenant`);
    if (!roles.includes(role) || !roles.includes(later.role ?? role))
      faults.push(`${name} cannot have its role`);
  }
  for (const [name, { type, tenant, members }] of Object.entries(groups)) {
    const isTenantGroup = type === 'TENANT_GROUP';
    if (isTenantGroup !== (tenant !== undefined))
      faults.push(`${name} has a tenant exactly if it is a TENANT_GROUP`);
    if (tenant !== undefined && !tenants.includes(tenant)) faults.push(`${name} is of an unknown tenant`);
    const isStranger = (member: string) =>
      !users[member] || (isTenantGroup && users[member].tenant !== tenant);
    if (members.some(isStranger)) faults.push(`${name} has a member that it cannot have`);
  }
  return faults;
}

function checkResources(body: CaseBody, organization: Organization): string[] {
  const { users, visuals, dashboards } = body;
  const faults: string[] = [];
  for (const [name, { owner, shares, revoked, takenOverBy }] of Object.entries({
    ...dashboards,
    ...visuals,
  })) {
    const complain = (fault: string) => faults.push(`${name} ${fault}`);
    if (!users[owner] || users[owner].role === 'VIEWER') complain('has an owner who cannot create it');
    for (const { scope, target, by } of [...shares, ...revoked]) {
      const isFitting = targetsOf(scope, organization)?.includes(target ?? '') ?? target === undefined;
      if (!isFitting) complain(`cannot be shared as ${scope} with ${target ?? 'no target'}`);
      if (by !== undefined && !users[by]) complain(`is shared by ${by}, who is unknown`);
    }
    if (takenOverBy !== undefined && users[takenOverBy]?.role !== 'ADMIN')
      complain('is taken over by no ADMIN');
  }
  for (const [name, { links }] of Object.entries(dashboards)) {
    if (links.some((link) => !visuals[link])) faults.push(`${name} links an unknown visual`);
    if (visuals[name]) faults.push(`${name} is a dashboard and a visual`);
  }
  return faults;
}

function checkExpectations({ users, dashboards, visuals, expect }: CaseBody): string[] {
  const resources = Object.keys({ ...dashboards, ...visuals });
  const strangers = Object.values(expect).flatMap((byUser) =>
    Object.keys(byUser).filter((name) => !users[name]),
  );
  return [
    ...resources.filter((name) => !expect[name]).map((name) => `${name} has no expectation`),
    ...Object.keys(expect)
      .filter((name) => !resources.includes(name))
      .map((name) => `${name} is expected but unknown`),
    ...strangers.map((name) => `${name} is expected but unknown`),
  ];
}

function caseFrom(file: string, { expect, ...body }: CaseBody): AccessCase {
  const none = Object.fromEntries(Object.keys(body.users).map((name) => [name, null]));
  const expected = Object.entries(expect).map(([resource, byUser]) => [resource, { ...none, ...byUser }]);
  return { file, ...body, expected: Object.fromEntries(expected) };
}

/**
 * Reads every case of the folder's YAML files, each with the common part of its file.
 *
 * @throws Error that names the file, the case and the fault if one violates cases/README.md
 */
export async function loadAccessCases(dir: string): Promise<AccessCase[]> {
  const files = (await readdir(dir)).filter((name) => name.endsWith('.yaml')).toSorted();
  const cases = await Promise.all(
    files.map(async (file) => readCases(file, await readFile(join(dir, file), 'utf8'))),
  );
  const names = cases.flat().map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two cases are named "${twice}"`);
  return cases.flat();
}

function readCases(file: string, source: string): AccessCase[] {
  const parsed = CaseFile.safeParse(parse(source));
  if (!parsed.success) throw new Error(`${file}: ${z.prettifyError(parsed.error)}`);
  const { given, cases } = parsed.data;
  return cases.map((own) => {
    const body: CaseBody = {
      ...own,
      tenants: [...new Set([...given.tenants, ...own.tenants])],
      users: { ...given.users, ...own.users },
      groups: { ...given.groups, ...own.groups },
    };
    const result = caseFrom(file, body);
    const faults = [
      ...checkUsers(body),
      ...checkResources(body, organizationOf(result, new Date(0))),
      ...checkExpectations(body),
    ];
    if (faults.length > 0) throw new Error(`${file}: "${own.name}": ${faults.join('; ')}`);
    return result;
  });
}

/** The moment at which a case's share ends; null for never. */
export function expiryOf({ expires }: { expires?: 'past' | 'future' | undefined }, now: Date): Date | null {
  if (expires === undefined) return null;
  return expires === 'past' ? now : new Date(now.getTime() + HOUR_MS);
}

/** The organization after a case: after take-overs, revocations and later changes. */
export function organizationOf(
  { tenants, users, groups, dashboards, visuals }: AccessCase,
  now: Date,
): Organization {
  const resourceOf = (
    type: ResourceType,
    given: CaseBody['visuals'][string],
    links: string[],
  ): OrganizationResource => {
    const shares: OrganizationShare[] = given.shares.map(({ scope, target, role, expires }) => ({
      scope,
      target: target ?? null,
      role,
      expiresAt: expiryOf({ expires }, now),
    }));
    const isRevoked = ({ scope, target }: OrganizationShare) =>
      given.revoked.some((entry) => entry.scope === scope && (entry.target ?? null) === target);
    return {
      type,
      project: 'main',
      owner: given.takenOverBy ?? given.owner,
      isPrivate: given.isPrivate,
      links,
      shares: mergeShares(shares).filter((share) => !isRevoked(share)),
    };
  };
  return {
    tenants,
    users: mapValues(users, ({ tenant, role, later }) => ({
      tenant: tenant ?? null,
      role: later.role ?? role,
      isActive: later.isActive ?? true,
    })),
    groups: mapValues(groups, ({ type, tenant, members }) => ({ type, tenant: tenant ?? null, members })),
    resources: {
      ...mapValues(dashboards, (dashboard) => resourceOf('dashboard', dashboard, dashboard.links)),
      ...mapValues(visuals, (visual) => resourceOf('visual', visual, [])),
    },
  };
}

function mapValues<T, U>(record: Record<string, T>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

/** The sorted names of the resources of this type in the user's list. */
export function expectedList(accessCase: AccessCase, user: string, type: ResourceType): string[] {
  const ofType = Object.keys(type === 'dashboard' ? accessCase.dashboards : accessCase.visuals);
  return ofType.filter((name) => accessCase.expected[name]?.[user] != null).toSorted();
}

/** The sorted names of the users who have access to the resource. */
export function expectedViewers(accessCase: AccessCase, resource: string): string[] {
  const byUser = Object.entries(accessCase.expected[resource] ?? {});
  return byUser.flatMap(([name, access]) => (access === null ? [] : [name])).toSorted();
}
