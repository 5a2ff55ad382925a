import fc from 'fast-check';
import { randomRuns } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import type { ResolutionRequest } from './logic/facts.js';
import { canonicalJson } from './logic/diffPreviews.js';
import { resolvePolicies } from '../testing/runSteps.js';
import { modelResolution } from '../testing/resolutionModel.js';
import { resolutionRequests } from '../testing/resolutionRequests.js';

const RUNS = randomRuns(2000);

interface RuleSummary {
  expression: string;
  values: Readonly<Record<string, unknown>>;
  missing: readonly string[];
}

function summarizeRule({ expression, values, missing }: RuleSummary): string {
  const bare = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'object' && value !== null && 'source' in value && 'value' in value
      ? value.value
      : value,
  ]);
  return canonicalJson([expression, Object.fromEntries(bare), missing]);
}

describe('random requests', () => {
  const forAll = (holds: (request: ResolutionRequest) => void) =>
    fc.assert(fc.property(resolutionRequests, holds), { numRuns: RUNS });

  it('resolve as in the reference model', () => {
    const seen = new Set<string>();
    forAll((request) => {
      const { cls, sls, rules, refusals } = resolvePolicies(request);
      const modelled = modelResolution(request);
      const codes = refusals.map(({ code }) => code);
      const isRefused = [modelled.isUnassigned, modelled.cls === 'refused', modelled.sls === 'refused'];
      expect(codes.includes('UNASSIGNED')).toBe(modelled.isUnassigned);
      expect(codes.length > 0).toBe(isRefused.includes(true));
      expect(cls && { connection: cls.connectionString, file: cls.filePaths?.['f'] ?? null }).toEqual(
        modelled.cls === 'refused' ? null : modelled.cls,
      );
      expect(sls && { schema: sls.schema, allowed: sls.allowedSchemas?.toSorted() ?? null }).toEqual(
        modelled.sls === 'refused' ? null : modelled.sls,
      );
      expect(rules.map(summarizeRule).toSorted()).toEqual(modelled.rules.map(summarizeRule).toSorted());
      for (const code of codes) seen.add(code);
      for (const level of ['cls', 'sls'] as const)
        if (modelled[level] !== 'refused' && modelled[level]) seen.add(level);
    });
    expect([...seen].toSorted()).toEqual(
      'CLS_CONFLICT MISSING_VALUE NO_SCHEMA_ALLOWED SCHEMA_NOT_ALLOWED SLS_CONFLICT UNASSIGNED UNFIT_VALUE cls sls'.split(
        ' ',
      ),
    );
  });

  it('never show a value of an assignment that does not apply', () => {
    forAll((request) => {
      const marked = request.assignments.map((each, index) => ({
        ...each,
        params: { x: `mark${index}x`, y: `mark${index}x` },
      }));
      const { assignments: applied, ...told } = resolvePolicies({ ...request, assignments: marked });
      const text = JSON.stringify(told);
      const others = marked.filter(({ id }) => !applied.some((each) => each.id === id));
      for (const { params } of others) expect(text).not.toContain(params.x);
    });
  });

  it('do not depend on assignments of other actors', () => {
    forAll((request) => {
      const all = resolvePolicies(request);
      const ids = new Set(all.assignments.map(({ id }) => id));
      const own = resolvePolicies({
        ...request,
        assignments: request.assignments.filter(({ id }) => ids.has(id)),
      });
      expect({ ...own, trace: [] }).toEqual({ ...all, trace: [] });
    });
  });

  it("are only narrowed by a token's policies", () => {
    forAll((asked) => {
      const request = { ...asked, onlyTokenPolicies: false };
      const stored = resolvePolicies({ ...request, tokenPolicies: null });
      const merged = resolvePolicies(request);
      const isRead = merged.refusals.length === 0;
      // A schema fixed by the token replaces a default if it may be read.
      const { sls } = request.tokenPolicies ?? {};
      const isFixedByToken = (sls?.schema ?? sls?.schemaTemplate) !== undefined;
      expect(isRead && stored.refusals.length > 0).toBe(false);
      expect(merged.rules.slice(0, stored.rules.length)).toEqual(stored.rules);
      expect(isRead && stored.cls ? stored.cls : merged.cls).toEqual(merged.cls);
      const { schema = null, allowedSchemas = null } = stored.sls ?? {};
      const widened = (merged.sls?.allowedSchemas ?? []).filter(
        (each) => allowedSchemas?.includes(each) === false,
      );
      expect(widened).toEqual([]);
      expect(isRead && allowedSchemas !== null && merged.sls?.allowedSchemas == null).toBe(false);
      expect(isRead && schema !== null && merged.sls?.schema !== schema && !isFixedByToken).toBe(false);
    });
  });

  it('never show a secret', () => {
    forAll((request) => {
      const hide = (text: string) => text.replaceAll('{{ x }}', '{{ x@secret }}');
      const asked = JSON.parse(hide(JSON.stringify(request))) as ResolutionRequest;
      const secret = { 'x@secret': 'hunter2' };
      const given = {
        ...asked,
        tokenParams: { ...asked.tokenParams, ...secret },
        assignments: asked.assignments.map((each) => ({
          ...each,
          params: { ...each.params, 'x@secret': 'hunter3' },
        })),
      };
      expect(JSON.stringify(resolvePolicies(given))).not.toContain('hunter');
    });
  });
});
