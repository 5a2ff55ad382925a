import { nameKey, serverKey, writtenKeys } from '../../logic/names.js';
import type { PolyglotDialect } from './lexicon.js';
import { refuse } from './refuse.js';
import type { Name, Query } from './tree.js';

interface Entry {
  name: Name;
  /** The printed name. */
  printed: Name;
  /** The index in its WITH. */
  index: number;
}

/** The common tables of one WITH by the key of their names. A statement may have tens of thousands. */
interface OwnTables {
  byKey: ReadonlyMap<string, Entry>;
  /** In WITH RECURSIVE some servers let a common table refer to later ones. */
  isRecursive: boolean;
  /** The number of tables that are visible here. The others are defined only here or later. */
  visibleCount: number;
}

/**
 * The common tables that an unqualified name may refer to at one place of a statement: those of outer
 * queries, and those before it in its own WITH, including itself if it is recursive. An inner table hides an
 * outer one of the same name.
 */
export class CommonTableScope {
  readonly #dialect: PolyglotDialect;
  readonly #own: OwnTables;
  readonly #outer: CommonTableScope | null;

  private constructor(dialect: PolyglotDialect, own: OwnTables, outer: CommonTableScope | null) {
    this.#dialect = dialect;
    this.#own = own;
    this.#outer = outer;
  }

  static empty(dialect: PolyglotDialect): CommonTableScope {
    return new CommonTableScope(dialect, { byKey: new Map(), isRecursive: false, visibleCount: 0 }, null);
  }

  /**
   * The printed name of the common table that a name refers to; null if there is none.
   * @throws Refusal for a name that only some servers resolve to a common table
   */
  find(name: Name): Name | null {
    const candidates = this.#candidates(name);
    const [first] = candidates;
    if (first === undefined) return null;
    const { entry, isVisible, isRecursive } = first;
    // A case-sensitive server reads the table of that name.
    if (entry.name.text !== name.text && !this.#isCertainlySame(entry.name, name)) {
      refuse('FORBIDDEN_CONSTRUCT', `${name.text} differs from a common table in case only`);
    }
    if (isVisible) return entry.printed;
    // Servers resolve such a name differently, unless it can only be a table.
    if (isRecursive || candidates.some((other) => other.isVisible)) {
      refuse('FORBIDDEN_CONSTRUCT', `${name.text} is used before its definition`);
    }
    return null;
  }

  /** The common tables of a name, inner queries first, and visible ones first within a query. */
  #candidates(name: Name): Candidate[] {
    const { byKey, isRecursive, visibleCount } = this.#own;
    const same = writtenKeys(name.text, this.#dialect).flatMap((key) => byKey.get(key) ?? []);
    const own = same.map((entry) => {
      return { entry, isVisible: entry.index < visibleCount, isRecursive };
    });
    const outer = this.#outer === null ? [] : this.#outer.#candidates(name);
    return [
      ...own.filter(({ isVisible }) => isVisible),
      ...own.filter(({ isVisible }) => !isVisible),
      ...outer,
    ];
  }

  #isCertainlySame(defined: Name, used: Name): boolean {
    if (this.#dialect === 'mysql' || this.#dialect === 'mssql') return false;
    if (this.#dialect === 'snowflake' && (defined.isQuoted || used.isQuoted)) return false;
    return serverKey(defined.text, 'sqlite', undefined) === serverKey(used.text, 'sqlite', undefined);
  }

  /**
   * The scopes of a query's own common tables, and of its body.
   * @param printed the printed names of the tables, in order
   * @throws Refusal for two tables of the same name
   */
  enter({ commonTables, isRecursive }: Query, printed: readonly Name[]): QueryScopes {
    const byKey = new Map<string, Entry>();
    for (const [index, { name }] of commonTables.entries()) {
      if (writtenKeys(name.text, this.#dialect).some((key) => byKey.has(key))) {
        refuse('FORBIDDEN_CONSTRUCT', `two common tables are named ${name.text}`);
      }
      byKey.set(nameKey(name.text, this.#dialect), { name, printed: printed[index] ?? name, index });
    }
    const scopeWith = (visibleCount: number): CommonTableScope =>
      new CommonTableScope(this.#dialect, { byKey, isRecursive, visibleCount }, this);
    return {
      within: (index) => scopeWith(isRecursive ? index + 1 : index),
      after: () => scopeWith(commonTables.length),
    };
  }
}

/** A common table that a name may refer to. */
interface Candidate {
  entry: Entry;
  isVisible: boolean;
  isRecursive: boolean;
}

/** The scopes within a query: one for each of its common tables, and one for the rest. */
interface QueryScopes {
  within(index: number): CommonTableScope;
  after(): CommonTableScope;
}
