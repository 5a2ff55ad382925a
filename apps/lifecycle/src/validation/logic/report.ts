import type { TemplateFix, ValidationCode, ValidationIssue, ValidationOptions } from '@gatehouse/contract';
import { ComparisonBudget } from './comparisonBudget.js';
import { closestNames, namesWithin, NO_NAMES, type NameList } from './suggestions.js';

/** Codes that report a part that could not be checked. All other codes are errors. */
const WARNINGS: ReadonlySet<ValidationCode> = new Set(['CATALOG_UNAVAILABLE']);

export const LIMITS = {
  /** Issues of one template. */
  issues: 10_000,
  /** Cards of one template or visual. */
  cards: 10_000,
  /** Selected entities of one card or of the assistant. */
  selectedEntities: 500,
  /** Filters in one list. */
  filters: 1000,
  /** Distinct visuals that one dashboard links, directly or indirectly. */
  linkedVisuals: 1000,
  /** Characters of available columns in one report. Later issues have none. */
  columnCharacters: 1_000_000,
  /** Names of several sources that are put into lists of candidates in one report. Later issues have none. */
  listedNames: 1_000_000,
  /** Comparisons of names for the suggestions of one report, and for its fixes. Later issues have none. */
  comparisons: 250_000,
  /** Cells of the matrices of these comparisons. */
  cells: 10_000_000,
  /**
   * Lookups of names in one report, in all rounds of a fix, or in all linked visuals of one request. What
   * exceeds it is not validated.
   */
  lookups: 25_000_000,
} as const;

/** Ends a validation that exceeds a limit. It is caught where validation begins. */
export class TooLarge extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** The lookups that a search in one selection or source counts for. A search in one table is one. */
export const SEARCH_LOOKUPS = 4;

/** Bounds the lookups of names: the parts of a template multiply, such as its filters with its cards. */
export class LookupBudget {
  #left: number = LIMITS.lookups;

  /** Throws TooLarge above the limit. The path of the part is read only then, because it is computed. */
  spend(count: number, part: { readonly path: string }): void {
    this.#left -= count;
    if (this.#left < 0) throw new TooLarge(part.path, `needs more than ${LIMITS.lookups} lookups of names`);
  }
}

/** A name that does not resolve, and its candidates. */
export interface MissingName {
  code: ValidationCode;
  path: string;
  message: string;
  written: string;
  field?: string;
  entity?: string | undefined;
  /** The candidates. */
  offered: NameList;
  /** Whether the candidates are columns, which are listed on request. */
  isColumn: boolean;
  /** The present names of records that formerly had the written name. */
  renamed(): readonly string[];
}

export type IssueDetails = Pick<ValidationIssue, 'field' | 'entity' | 'suggestions' | 'availableColumns'>;

/** The outcome of resolving a column. It is `broken` when its entity was already reported. */
export type ColumnOutcome = 'found' | 'missing' | 'broken' | 'unknown';

/** Collects the issues of one template. */
export class Report {
  readonly options: ValidationOptions;
  readonly issues: ValidationIssue[] = [];
  errorCount = 0;
  /** The unambiguous renames; null unless they are requested. */
  readonly fixes: TemplateFix[] | null;
  /** The outcomes of columns in lists of entities. */
  readonly columnOutcomes = new WeakMap<readonly unknown[], Map<string, ColumnOutcome>>();
  readonly lookups: LookupBudget;
  readonly #suggestionBudget = new ComparisonBudget(LIMITS);
  readonly #fixBudget = new ComparisonBudget(LIMITS);
  #charactersLeft: number = LIMITS.columnCharacters;
  #namesLeft: number = LIMITS.listedNames;
  /** Keeps no list that is otherwise unused: a list may be very long. */
  readonly #suggested = new WeakMap<NameList, Map<string, string[]>>();
  readonly #offered = new WeakMap<object, NameList>();

  constructor(options: ValidationOptions, { collectsFixes = false, lookups = new LookupBudget() } = {}) {
    this.options = options;
    this.lookups = lookups;
    this.fixes = collectsFixes ? [] : null;
  }

  /**
   * The candidates of a source. Many names of one template are looked up in the same source, and its list may
   * be long, so the list is created once.
   */
  shareOffered(source: object, create: () => NameList): NameList {
    const offered = this.#offered.get(source) ?? create();
    this.#offered.set(source, offered);
    return offered;
  }

  /** Throws TooLarge above the limit of issues. */
  add(code: ValidationCode, path: string, details: IssueDetails & { message: string }): void {
    if (this.issues.length >= LIMITS.issues)
      throw new TooLarge(path, `has more than ${LIMITS.issues} issues`);
    const { message, ...rest } = details;
    const severity = WARNINGS.has(code) ? 'warning' : 'error';
    if (severity === 'error') this.errorCount += 1;
    this.issues.push({ code, severity, path, message, ...rest });
  }

  malformed(path: string, expected: string): void {
    this.add('TEMPLATE_MALFORMED', path, { message: `This must be ${expected}` });
  }

  addMissing(missing: MissingName): void {
    const { code, path, message, field, entity, offered, isColumn } = missing;
    // The name of a dataset may be right, and only its table be missing.
    const candidates = !isColumn && offered.has(missing.written) ? NO_NAMES : offered;
    const suggestions = this.#suggest(missing.written, candidates);
    this.add(code, path, {
      message,
      ...(field === undefined ? {} : { field }),
      ...(entity === undefined ? {} : { entity }),
      ...(suggestions === null ? {} : { suggestions }),
      ...(isColumn && this.#hasRoomFor(offered) ? { availableColumns: [...offered.names] } : {}),
    });
    if (this.fixes === null) return;
    const fix = this.#findFix({ ...missing, offered: candidates });
    if (fix !== null) this.fixes.push({ path, code, from: missing.written, ...fix });
  }

  #suggest(written: string, offered: NameList): string[] | null {
    const { includeSuggestions, maxSuggestionsPerField } = this.options;
    if (!includeSuggestions) return null;
    const before = this.#suggested.get(offered)?.get(written);
    if (before !== undefined) return before;
    const budget = this.#suggestionBudget;
    if (!this.#mayCompare(offered, budget)) return null;
    const suggestions = closestNames(written, offered, { limit: maxSuggestionsPerField, budget });
    if (suggestions === null) return null;
    const known = this.#suggested.get(offered) ?? new Map<string, string[]>();
    this.#suggested.set(offered, known.set(written, suggestions));
    return suggestions;
  }

  /** Spends the comparisons with all candidates. Lists them only while comparisons are left. */
  #mayCompare(offered: NameList, budget: ComparisonBudget): boolean {
    return !budget.isSpent && this.#mayList(offered) && budget.spendComparisons(offered.names.length);
  }

  /** Spends the names of a list that is not listed yet. False if too few are left. */
  #mayList({ unlisted }: NameList): boolean {
    if (unlisted > this.#namesLeft) return false;
    this.#namesLeft -= unlisted;
    return true;
  }

  #hasRoomFor(offered: NameList): boolean {
    if (!this.options.includeAvailableColumns || !this.#mayList(offered)) return false;
    if (offered.characters > this.#charactersLeft) return false;
    this.#charactersLeft -= offered.characters;
    return true;
  }

  #findFix({ written, offered, renamed }: MissingName): Pick<TemplateFix, 'to' | 'reason'> | null {
    const targets = [...new Set(renamed())];
    const [target] = targets;
    if (target !== undefined) return targets.length === 1 ? { to: target, reason: 'catalogRename' } : null;
    const budget = this.#fixBudget;
    if (!this.#mayCompare(offered, budget)) return null;
    const near = namesWithin(written, offered, { distance: 1, budget }) ?? [];
    const [only] = near;
    return only !== undefined && near.length === 1 ? { to: only, reason: 'oneCandidate' } : null;
  }
}
