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
import { DEFAULT_OPTIONS, factsOf, type FactsSketch } from '../../testing/facts.js';
import { fixTemplate } from './fix.js';
import { validateTemplate } from './template.js';

/** What must be said of a case; `$card` in a path stands for the place of its only card. */
interface Expected {
  issues: Partial<ValidationIssue>[];
  summary?: Partial<ValidationSummary>;
  /** The ids of the resources that are listed, by noun; invalid ones with an exclamation mark. */
  resources?: Record<string, string[]>;
  fixes?: Pick<TemplateFix, 'path' | 'to' | 'reason'>[];
  /** The issues that are left after the fixes. */
  fixed?: Partial<ValidationIssue>[];
  /** For facts that say what changed. */
  isChanged?: boolean;
}
interface Case {
  name: string;
  why: string;
  /** In place of the facts of the file, by noun. */
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

const KNOWN_KEYS = ['name', 'why', 'facts', 'options', 'template', 'card', 'expect'];
const EXPECTED_KEYS = ['issues', 'summary', 'resources', 'fixes', 'fixed', 'isChanged'];
const CARD = '/sheets/0/frames/0/cards/0';

const folder = new URL('../../../cases/', import.meta.url);
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

const inFull = <T extends { path?: string }>(expected: T): T =>
  expected.path === undefined ? expected : { ...expected, path: expected.path.replace('$card', CARD) };

/** The fields of an issue that a case speaks of. */
function shown(issues: readonly ValidationIssue[], expected: readonly Partial<ValidationIssue>[]) {
  return issues.map((issue, index) => {
    const keys = Object.keys(expected[index] ?? { code: '', path: '' }) as (keyof ValidationIssue)[];
    return Object.fromEntries(keys.map((key) => [key, issue[key] ?? null]));
  });
}

const issuesOf = (issues: readonly Partial<ValidationIssue>[]) =>
  issues.map((issue) =>
    Object.fromEntries(Object.entries(inFull(issue)).map(([key, value]) => [key, value ?? null])),
  );

describe.each(files)('%s', (file) => {
  const cases = allCases.filter((each) => each.file === file);

  it.each(cases.map((each) => [each.name, each] as const))('%s', (_, each) => {
    const options = { ...DEFAULT_OPTIONS, ...each.options };
    const facts = factsOf(each.facts, options);
    const template = templateOf(each);
    const outcome = validateTemplate(template, facts, { options });
    if (outcome.kind === 'tooLarge') throw new Error(outcome.message);
    const { report } = outcome;
    const { issues, summary, resources, fixes, fixed, isChanged } = each.expect;
    const listed = Object.fromEntries(
      Object.entries(report.resourceResults).map(([noun, results]) => [
        noun,
        results.map(({ id, isValid }) => (isValid ? id : `${id}!`)),
      ]),
    );
    const repaired = fixTemplate(template, facts, options);
    if (repaired.kind === 'tooLarge') throw new Error(repaired.message);
    expect({ why: each.why, issues: shown(report.issues, issues) }).toEqual({
      why: each.why,
      issues: issuesOf(issues),
    });
    if (summary) expect(report.summary).toMatchObject(summary);
    if (resources) expect(listed).toMatchObject(resources);
    if (isChanged !== undefined) expect(outcome.hasChangedTable).toBe(isChanged);
    if (fixes)
      expect(repaired.fixes.map(({ path, to, reason }) => ({ path, to, reason }))).toEqual(fixes.map(inFull));
    if (fixed) expect(shown(repaired.report.issues, fixed)).toEqual(issuesOf(fixed));
  });
});

describe('the case files', () => {
  it('have only keys that are known, and a sentence of why for each case', () => {
    const strange = allCases.flatMap(({ file: _, ...each }) => [
      ...Object.keys(each).filter((key) => !KNOWN_KEYS.includes(key)),
      ...Object.keys(each.expect).filter((key) => !EXPECTED_KEYS.includes(key)),
    ]);
    expect(strange).toEqual([]);
    expect(
      allCases.filter(({ why }) => !/^[A-Z].{20,}\.$/s.test(why.trim())).map(({ name }) => name),
    ).toEqual([]);
    expect(new Set(allCases.map(({ name }) => name)).size).toBe(allCases.length);
  });

  it('have for every code a case that has it and a near miss that has not', () => {
    const said = new Set(allCases.flatMap(({ expect: { issues } }) => issues.map(({ code }) => code)));
    expect([...said].toSorted()).toEqual([...VALIDATION_CODES].toSorted());
    const nearMisses = allCases.filter(({ name }) => name.startsWith('near miss of '));
    const missed = nearMisses.map(({ name }) => name.slice('near miss of '.length).split(':')[0]);
    expect([...new Set(missed)].toSorted()).toEqual([...VALIDATION_CODES].toSorted());
  });

  it('turn every option on and off', () => {
    const turned = new Set(allCases.flatMap(({ options = {} }) => Object.keys(options)));
    expect([...turned].toSorted()).toEqual(Object.keys(DEFAULT_OPTIONS).toSorted());
  });
});
