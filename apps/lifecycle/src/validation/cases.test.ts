import { readdirSync, readFileSync } from 'node:fs';
import {
  VALIDATION_CODES,
  type JsonObject,
  type TemplateFix,
  type ValidationIssue,
  type ValidationOptions,
  type ValidationSummary,
} from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DEFAULT_OPTIONS, factsOf, type FactsSketch } from '../testing/factSketches.js';
import { fixTemplate, validateTemplate } from '../testing/runValidation.js';

/** The expected results of a case; `$card` in a path stands for the path of its only card. */
interface Expected {
  issues: Partial<ValidationIssue>[];
  summary?: Partial<ValidationSummary>;
  /** The ids of the listed resources, by noun; invalid ones with an exclamation mark. */
  resources?: Record<string, string[]>;
  fixes?: Pick<TemplateFix, 'path' | 'to' | 'reason'>[];
  /** The issues after the fixes. */
  fixed?: Partial<ValidationIssue>[];
  /** For facts with changed tables. */
  isChanged?: boolean;
}
interface Case {
  name: string;
  why: string;
  /** Replaces the facts of the file, by noun. */
  facts?: FactsSketch;
  options?: Partial<ValidationOptions>;
  template?: JsonObject | null;
  /** The only card of the template. */
  card?: JsonObject;
  expect: Expected;
}
interface CaseFile {
  about: string;
  facts: FactsSketch;
  cases: Case[];
}

const KNOWN_KEYS = ['file', 'name', 'why', 'facts', 'options', 'template', 'card', 'expect'];
const EXPECTED_KEYS = ['issues', 'summary', 'resources', 'fixes', 'fixed', 'isChanged'];
const CARD = '/sheets/0/frames/0/cards/0';

const folder = new URL('../../cases/', import.meta.url);
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => [name, parse(readFileSync(new URL(name, folder), 'utf8')) as CaseFile] as const);
const allCases = files.flatMap(([file, { facts, cases }]) =>
  cases.map((each) => ({ ...each, file, facts: { ...facts, ...each.facts } })),
);

function templateOf({ template, card }: Case): JsonObject | null {
  return card === undefined
    ? (template ?? null)
    : { sheets: [{ id: 's', frames: [{ id: 'f', cards: [card] }] }] };
}

/** Replaces `$card` in paths. */
function withCardPath(expected: unknown): unknown {
  return JSON.parse(JSON.stringify(expected).replaceAll('$card', CARD));
}

/** The fields of each issue that its case names; null for an absent field. */
function pickFields(issues: readonly ValidationIssue[], expected: readonly Partial<ValidationIssue>[] = []) {
  return issues.map((issue, index) => {
    const keys = Object.keys(expected[index] ?? { code: '', path: '' }) as (keyof ValidationIssue)[];
    return Object.fromEntries(keys.map((key) => [key, issue[key] ?? null]));
  });
}

/** The results of validating and fixing a case, in the form of the expected results. */
function resultsOf(each: Case) {
  const options = { ...DEFAULT_OPTIONS, ...each.options };
  const facts = factsOf({ ...each.facts }, options);
  const template = templateOf(each);
  const outcome = validateTemplate(template, facts, { options });
  const fixed = fixTemplate(template, facts, options);
  if (outcome.kind === 'tooLarge' || fixed.kind === 'tooLarge') throw new Error('The template is too large');
  const { issues, summary, resourceResults } = outcome.report;
  const resources = Object.entries(resourceResults).map(([noun, results]) => [
    noun,
    results.map(({ id, isValid }) => (isValid ? id : `${id}!`)),
  ]);
  return {
    issues: pickFields(issues, each.expect.issues),
    summary,
    resources: Object.fromEntries(resources) as Record<string, string[]>,
    fixes: fixed.fixes.map(({ path, to, reason }) => ({ path, to, reason })),
    fixed: pickFields(fixed.report.issues, each.expect.fixed),
    isChanged: outcome.hasChangedTable,
  };
}

describe.each(files)('%s', (file) => {
  const cases = allCases.filter((each) => each.file === file);

  it.each(cases.map((each) => [each.name, each] as const))('%s', (_, each) => {
    const { why, expect: expected } = each;
    const results = resultsOf(each);
    const wanted = Object.entries(expected).map(([key, value]) => [key, withCardPath(value)]);
    // Compares only the parts that the case names.
    expect({ why, ...results }).toMatchObject({ why, ...Object.fromEntries(wanted) });
  });
});

describe('the case files', () => {
  it('have only known keys, and a sentence that explains each case', () => {
    const unknown = allCases.flatMap((each) => [
      ...Object.keys(each).filter((key) => !KNOWN_KEYS.includes(key)),
      ...Object.keys(each.expect).filter((key) => !EXPECTED_KEYS.includes(key)),
    ]);
    expect(unknown).toEqual([]);
    expect(
      allCases.filter(({ why }) => !/^[A-Z].{20,}\.$/s.test(why.trim())).map(({ name }) => name),
    ).toEqual([]);
    expect(new Set(allCases.map(({ name }) => name)).size).toBe(allCases.length);
  });

  it('have a case and a near miss for every code', () => {
    const covered = new Set(
      allCases.flatMap(({ expect: { issues } }) => issues.map(({ code }) => String(code))),
    );
    const codes = VALIDATION_CODES.map(String).toSorted();
    expect([...covered].toSorted()).toEqual(codes);
    const nearMisses = allCases.filter(({ name }) => name.startsWith('near miss of '));
    const missed = nearMisses.map(({ name }) => name.replace(/^near miss of (\w+):.*$/, '$1'));
    expect([...new Set(missed)].toSorted()).toEqual(codes);
  });

  it('set every option', () => {
    const turned = new Set(allCases.flatMap(({ options = {} }) => Object.keys(options)));
    expect([...turned].toSorted()).toEqual(Object.keys(DEFAULT_OPTIONS).toSorted());
  });
});
