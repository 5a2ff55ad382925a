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
import { DEFAULT_OPTIONS, factsOf, type FactsSketch } from './testing/facts.js';
import { fixTemplate } from './logic/validation/fix.js';
import { validateTemplate } from './logic/validation/template.js';

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

const KNOWN_KEYS = ['file', 'name', 'why', 'facts', 'options', 'template', 'card', 'expect'];
const EXPECTED_KEYS = ['issues', 'summary', 'resources', 'fixes', 'fixed', 'isChanged'];
const CARD = '/sheets/0/frames/0/cards/0';

const folder = new URL('../cases/', import.meta.url);
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

/** The same with the place of the card in its paths. */
function inFull(expected: unknown): unknown {
  return JSON.parse(JSON.stringify(expected).replaceAll('$card', CARD));
}

/** The fields of each issue that its case speaks of; null for one that is not there. */
function shown(issues: readonly ValidationIssue[], expected: readonly Partial<ValidationIssue>[] = []) {
  return issues.map((issue, index) => {
    const keys = Object.keys(expected[index] ?? { code: '', path: '' }) as (keyof ValidationIssue)[];
    return Object.fromEntries(keys.map((key) => [key, issue[key] ?? null]));
  });
}

/** What validation and correction say of a case, in the form of what is expected. */
function tellOf(each: Case) {
  const options = { ...DEFAULT_OPTIONS, ...each.options };
  const facts = factsOf({ ...each.facts }, options);
  const template = templateOf(each);
  const outcome = validateTemplate(template, facts, { options });
  const repaired = fixTemplate(template, facts, options);
  if (outcome.kind === 'tooLarge' || repaired.kind === 'tooLarge')
    throw new Error('The template is too large');
  const { issues, summary, resourceResults } = outcome.report;
  const resources = Object.entries(resourceResults).map(([noun, results]) => [
    noun,
    results.map(({ id, isValid }) => (isValid ? id : `${id}!`)),
  ]);
  return {
    issues: shown(issues, each.expect.issues),
    summary,
    resources: Object.fromEntries(resources) as Record<string, string[]>,
    fixes: repaired.fixes.map(({ path, to, reason }) => ({ path, to, reason })),
    fixed: shown(repaired.report.issues, each.expect.fixed),
    isChanged: outcome.hasChangedTable,
  };
}

describe.each(files)('%s', (file) => {
  const cases = allCases.filter((each) => each.file === file);

  it.each(cases.map((each) => [each.name, each] as const))('%s', (_, each) => {
    const { why, expect: expected } = each;
    const told = tellOf(each);
    const asked = Object.entries(expected).map(([key, value]) => [key, inFull(value)]);
    // Of a report, what the case speaks of.
    expect({ why, ...told }).toMatchObject({ why, ...Object.fromEntries(asked) });
  });
});

describe('the case files', () => {
  it('have only keys that are known, and a sentence of why for each case', () => {
    const strange = allCases.flatMap((each) => [
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
    const said = new Set(
      allCases.flatMap(({ expect: { issues } }) => issues.map(({ code }) => String(code))),
    );
    const codes = VALIDATION_CODES.map(String).toSorted();
    expect([...said].toSorted()).toEqual(codes);
    const nearMisses = allCases.filter(({ name }) => name.startsWith('near miss of '));
    const missed = nearMisses.map(({ name }) => name.replace(/^near miss of (\w+):.*$/, '$1'));
    expect([...new Set(missed)].toSorted()).toEqual(codes);
  });

  it('turn every option on and off', () => {
    const turned = new Set(allCases.flatMap(({ options = {} }) => Object.keys(options)));
    expect([...turned].toSorted()).toEqual(Object.keys(DEFAULT_OPTIONS).toSorted());
  });
});
