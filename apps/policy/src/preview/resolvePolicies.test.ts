import { join } from 'node:path';
import { ASSIGNMENT_SCOPES, VALUE_SOURCES, type AssignmentScope } from '@gatehouse/contract';
import { loadPolicyCases, type PolicyCase } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import type { ActorFacts, AssignmentFacts, ResolutionRequest } from './logic/facts.js';
import { createPolicyBudget } from '../limits/logic/byteBudget.js';
import { resolvePolicies as resolveInSteps } from './logic/resolvePolicies.js';
import { resolvePolicies } from '../testing/runSteps.js';

const cases = await loadPolicyCases(join(import.meta.dirname, '../../cases'));

const keyOf = (kind: AssignmentScope, name: string | null) =>
  name === null ? null : `key of ${kind} ${name}`;

function actorOf({ actor: { kind, name }, tenant, role, email }: PolicyCase): ActorFacts {
  const isPerson = kind === 'TENANT_USER' || kind === 'ORG_USER';
  const tenantId = kind === 'TENANT' ? name : (tenant ?? null);
  return {
    kind,
    id: name,
    key: keyOf(kind, name),
    name,
    email: isPerson ? (email ?? `${name}@example.com`) : null,
    role: isPerson ? (role ?? 'VIEWER') : null,
    tenantId,
    tenantKey: keyOf('TENANT', tenantId),
  };
}

function assignmentsOf({ assignments, definitions }: PolicyCase): AssignmentFacts[] {
  return assignments.map(({ definition, to: { kind, name }, params, draft }) => {
    const { cls, sls, rls } = definitions[definition] ?? {};
    return {
      id: draft ? null : `${definition} to ${[kind, name].filter(Boolean).join(' ')}`,
      definition: {
        id: definition,
        name: definition,
        clsConfig: cls ?? null,
        slsConfig: sls ?? null,
        rlsConfig: rls ?? null,
      },
      scopeType: kind,
      actorKey: keyOf(kind, name),
      params,
      source: draft ? 'draft' : 'persisted',
    };
  });
}

function requestOf(policyCase: PolicyCase): ResolutionRequest {
  const { unassignedActors, isGoverned, token, tokenParams, runtimeParams, onlyTokenPolicies } = policyCase;
  return {
    actor: actorOf(policyCase),
    connection: { dialect: 'postgres', unassignedActors },
    isGoverned,
    assignments: assignmentsOf(policyCase),
    tokenPolicies: token ?? null,
    tokenParams,
    runtimeParams,
    onlyTokenPolicies,
  };
}

describe('the policy cases', () => {
  it('cover every scope, kind of actor, source of values and reason', () => {
    expect(cases.length).toBeGreaterThanOrEqual(80);
    const covers = (found: readonly unknown[], all: readonly string[]) =>
      expect(all.filter((value) => !found.includes(value))).toEqual([]);
    covers(
      cases.map(({ actor }) => actor.kind),
      ASSIGNMENT_SCOPES,
    );
    covers(
      cases.flatMap(({ assignments }) => assignments.map(({ to }) => to.kind)),
      ASSIGNMENT_SCOPES,
    );
    const sources = cases.flatMap((each) =>
      each.expect.rules.flatMap((rule) => Object.values(rule.sources ?? {})),
    );
    covers(
      sources,
      // The result does not contain the sources of the connection's values.
      VALUE_SOURCES.filter((source) => source !== 'definition'),
    );
    covers(
      cases.flatMap((each) => each.expect.refused),
      'UNASSIGNED CLS_CONFLICT SLS_CONFLICT MISSING_VALUE UNFIT_VALUE INVALID_TEMPLATE SECRET_NOT_ALLOWED NO_SCHEMA_ALLOWED SCHEMA_NOT_ALLOWED'.split(
        ' ',
      ),
    );
  });

  it.each(cases.map((each) => [`${each.file}: ${each.name}`, each] as const))('%s', (_, policyCase) => {
    const wanted = policyCase.expect;
    const resolved = resolvePolicies(requestOf(policyCase));
    expect(resolved.refusals.map(({ code }) => code)).toEqual(wanted.refused);
    const nameOf = ({ assignmentId, definitionId, source }: Origin) =>
      source === 'token' ? 'token' : (assignmentId ?? `draft of ${definitionId}`);
    const drafts = policyCase.assignments.filter(({ draft }) => draft);
    const applied = resolved.assignments.map(({ id, ...rest }) => {
      const draft = drafts.find(({ definition }) => id === null && definition === rest.definitionId);
      const to = draft ? ` to ${[draft.to.kind, draft.to.name].filter(Boolean).join(' ')}` : '';
      return nameOf({ ...rest, assignmentId: id }) + to;
    });
    expect(applied).toEqual(wanted.applies ?? applied);
    const { cls, sls } = resolved;
    expect(cls && { by: nameOf(cls), connection: cls.connectionString, files: cls.filePaths }).toEqual(
      wanted.cls && { by: wanted.cls.by, connection: wanted.cls.connection, files: wanted.cls.files },
    );
    expect(cls?.params).toEqual(wanted.cls?.params ?? cls?.params);
    expect(sls && { by: nameOf(sls), schema: sls.schema, allowed: sls.allowedSchemas }).toEqual(wanted.sls);
    const rules = resolved.rules.map((rule, index) => ({
      name: rule.name,
      of: rule.definitionId ?? 'token',
      values: mapValues(rule.values, ({ value }) => value),
      missing: rule.missing,
      sources: wanted.rules[index]?.sources && mapValues(rule.values, ({ source }) => source),
    }));
    expect(rules).toEqual(wanted.rules.map(({ sources, ...rule }) => ({ ...rule, sources })));
    const told = JSON.stringify(resolved);
    for (const text of wanted.hidden) expect(told).not.toContain(text);
  });

  it('do not depend on the order of assignments', () => {
    for (const policyCase of cases) {
      const request = requestOf(policyCase);
      const reversed = { ...request, assignments: request.assignments.toReversed() };
      expect(resolvePolicies(reversed)).toEqual(resolvePolicies(request));
    }
  });

  it('explain every step in a sentence and name every given assignment', () => {
    for (const policyCase of cases) {
      const request = requestOf(policyCase);
      const { trace, refusals } = resolvePolicies(request);
      for (const { why } of trace) expect(why).toMatch(/^["A-Z].*\.$/s);
      for (const { message } of refusals) expect(message).toMatch(/^["A-Z].*\.$/s);
      const told = trace.filter(({ subject }) => subject === 'assignment').length;
      expect(told).toBe(request.assignments.length);
    }
  });
});

interface Origin {
  assignmentId: string | null;
  definitionId: string | null;
  source: string;
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

it('names both parties of a conflict, and shows the winner and the losers in the trace', () => {
  const conflict = cases.find(({ name }) =>
    name.startsWith('two connections of the same rank that differ refuse'),
  );
  const contest = cases.find(({ name }) => name.startsWith("a user's own connection wins"));
  if (!conflict || !contest) throw new Error('a case was renamed');
  const { refusals } = resolvePolicies(requestOf(conflict));
  for (const { message } of refusals) {
    expect(message).toContain('"middle" (middle to TENANT acme)');
    expect(message).toContain('"narrow" (narrow to TENANT acme)');
  }
  const { trace } = resolvePolicies(requestOf(contest));
  const outcomes = trace
    .filter(({ subject }) => subject === 'cls')
    .map(({ name, outcome }) => [name, outcome]);
  expect(outcomes).toEqual([
    ['wide to ALL_TENANTS', 'loses'],
    ['middle to TENANT acme', 'loses'],
    ['narrow to TENANT_USER pam', 'wins'],
  ]);
});

it('resolves ten thousand assignments in one pass', () => {
  const rules = [
    { matcher: { type: 'SCHEMA' as const, schema: 's' }, expression: 'a = {{ x }}', enabled: true },
  ];
  const assignments = Array.from({ length: 10_000 }, (_, index): AssignmentFacts => {
    const definition = {
      id: `d${index}`,
      name: `d${index}`,
      clsConfig: null,
      slsConfig: null,
      rlsConfig: { rules },
    };
    return {
      id: `a${index}`,
      definition,
      scopeType: 'ALL_TENANTS',
      actorKey: null,
      params: { x: index },
      source: 'persisted',
    };
  });
  const [some] = cases;
  if (!some) throw new Error('there are no cases');
  const actor = actorOf({ ...some, actor: { kind: 'TENANT', name: 'acme' } });
  const resolved = resolvePolicies({ ...requestOf(some), actor, assignments });
  expect(resolved.rules).toHaveLength(10_000);
  expect(resolved.refusals).toEqual([]);
});

it('resolves a config of very many files in short steps: a name, a value or a file', () => {
  const count = 2000;
  const byName = <T>(valueOf: (name: string) => T) =>
    Object.fromEntries(Array.from({ length: count }, (_, each) => [`f${each}`, valueOf(`f${each}`)]));
  const params = byName(() => 'x');
  const config = { filePathTemplates: byName((name) => `/files/{{ ${name} }}`), params };
  const assignments = ['d1', 'd2'].map((id): AssignmentFacts => {
    const definition = { id, name: id, clsConfig: config, slsConfig: null, rlsConfig: null };
    return { id, definition, scopeType: 'ALL_TENANTS', actorKey: null, params: {}, source: 'persisted' };
  });
  const [some] = cases;
  if (!some) throw new Error('there are no cases');
  const actor = actorOf({ ...some, actor: { kind: 'TENANT', name: 'acme' } });
  const request = { ...requestOf(some), actor, assignments, tokenPolicies: { cls: config } };
  const steps = resolveInSteps(request, createPolicyBudget());
  let taken = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) taken += 1;
  expect(step.value.refusals).toEqual([]);
  expect(step.value.cls?.filePaths?.['f1999']).toBe('/files/x');
  // Each of the three configs is parsed, filled and rendered, and then compared.
  expect(taken).toBeGreaterThan(3 * 5 * count);
});
