import { isSameName } from '../sql/names.js';
import type { PolyglotDialect } from './lexicon.js';
import { refuse } from './refuse.js';
import type { Name, Query } from './tree.js';

interface Entry {
  name: Name;
  /** What it is printed as. */
  printed: Name;
  /** Whether it can be read at the place that is looked at: not if it is defined only there, or after it. */
  isVisible: boolean;
  /** Of a WITH RECURSIVE, in which some servers let a common table read later ones. */
  isRecursive: boolean;
}

/**
 * The common tables that an unqualified name may stand for at one place of a statement: those of the queries around it, and of
 * its own WITH those before it, itself too when it is recursive. An inner one hides an outer one of its name.
 */
export class CommonTableScope {
  private constructor(
    private readonly dialect: PolyglotDialect,
    /** The inner ones last. */
    private readonly entries: readonly Entry[],
  ) {}

  static empty(dialect: PolyglotDialect): CommonTableScope {
    return new CommonTableScope(dialect, []);
  }

  /**
   * What the common table that a name stands for is printed as; null where it stands for none.
   * @throws Refusal for a name that some servers take for a common table and others do not
   */
  find(name: Name): Name | null {
    const entry = this.entries.findLast((candidate) =>
      isSameName(name.text, candidate.name.text, this.dialect),
    );
    if (entry === undefined) return null;
    const isExact = entry.name.text === name.text;
    // On some systems MySQL keeps names apart that differ in case only, and then reads the table of that name.
    if (this.dialect === 'mysql' && !isExact) {
      refuse('FORBIDDEN_CONSTRUCT', `${name.text} differs from a common table in case only`);
    }
    if (entry.isVisible) return entry.printed;
    // Servers differ in what such a name stands for, unless it can be a table alone.
    const isHidden = this.entries.some(
      (other) => other.isVisible && isSameName(name.text, other.name.text, this.dialect),
    );
    if (entry.isRecursive || isHidden) {
      refuse('FORBIDDEN_CONSTRUCT', `${name.text} is used before its definition`);
    }
    return null;
  }

  /**
   * The scopes of a query's own common tables, and that of its body.
   * @param printed what the tables are printed as, in their order
   * @throws Refusal for two tables of one name
   */
  enter({ commonTables, isRecursive }: Query, printed: readonly Name[]): QueryScopes {
    const names = commonTables.map(({ name }) => name);
    for (const [index, { text }] of names.entries()) {
      if (names.slice(0, index).some((other) => isSameName(text, other.text, this.dialect))) {
        refuse('FORBIDDEN_CONSTRUCT', `two common tables are named ${text}`);
      }
    }
    // Those that can be read last, so that they are found first.
    const scopeWith = (visibleCount: number): CommonTableScope => {
      const own = names.map((name, index) => ({
        name,
        printed: printed[index] ?? name,
        isVisible: index < visibleCount,
        isRecursive,
      }));
      const ordered = [...own.slice(visibleCount), ...own.slice(0, visibleCount)];
      return new CommonTableScope(this.dialect, [...this.entries, ...ordered]);
    };
    return {
      within: (index) => scopeWith(isRecursive ? index + 1 : index),
      after: () => scopeWith(names.length),
    };
  }
}

/** The scopes within a query: that of each of its common tables, and that of what comes after them. */
interface QueryScopes {
  within(index: number): CommonTableScope;
  after(): CommonTableScope;
}
