import { PGlite } from '@electric-sql/pglite';
import { literal, quote, type World } from './worlds.js';

const READER = 'reader';

/** The rows of a result as texts, in no order. */
export type Rows = string[];

/**
 * An in-process PostgreSQL that applies the rules of a world by native row-level security. The owner of the
 * tables bypasses it: restricted statements run as the owner, original ones as a role that does not bypass
 * it.
 */
export class PostgresOracle {
  readonly #database: PGlite;

  private constructor(database: PGlite) {
    this.#database = database;
  }

  static async start(): Promise<PostgresOracle> {
    const database = await PGlite.create();
    await database.exec(
      `CREATE ROLE ${READER} NOLOGIN NOSUPERUSER NOBYPASSRLS; CREATE SCHEMA other; SET statement_timeout = 10000`,
    );
    return new PostgresOracle(database);
  }

  async close(): Promise<void> {
    await this.#database.close();
  }

  /** Loads the tables, rows and policies of a world in place of the former ones. */
  async load(world: World): Promise<void> {
    const statements = ['RESET ROLE', 'DROP SCHEMA public CASCADE', 'DROP SCHEMA other CASCADE'];
    for (const schema of ['public', 'other']) {
      statements.push(`CREATE SCHEMA ${schema}`, `GRANT USAGE ON SCHEMA ${schema} TO ${READER}`);
    }
    for (const table of world.tables) {
      const name = `${quote(table.schema)}.${quote(table.name)}`;
      const columns = table.columns.map((column) => `${quote(column.name)} ${column.type}`).join(', ');
      statements.push(`CREATE TABLE ${name} (${columns})`, `GRANT SELECT ON ${name} TO ${READER}`);
      const rows = table.rows.map((row) => `(${row.map(literal).join(', ')})`);
      if (rows.length > 0) statements.push(`INSERT INTO ${name} VALUES ${rows.join(', ')}`);
    }
    for (const table of world.tables) {
      const rules = world.rules.filter((rule) => rule.covers(table.listed ?? table));
      const conditions = table.isHidden
        ? ['false']
        : rules.map((rule) => `(${rule.native(quote(table.name))})`);
      if (conditions.length === 0) continue;
      const name = `${quote(table.schema)}.${quote(table.name)}`;
      statements.push(
        `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY`,
        `CREATE POLICY p ON ${name} FOR SELECT TO ${READER} USING (${conditions.join(' AND ')})`,
      );
    }
    await this.#database.exec(`${statements.join('; ')};`);
  }

  /** The visible rows of a statement for the reader. */
  async readAsReader(sql: string): Promise<Rows> {
    await this.#database.exec(`SET ROLE ${READER}`);
    try {
      return await this.#rows(sql, []);
    } finally {
      await this.#database.exec('RESET ROLE');
    }
  }

  /** The rows of a statement without row-level security. */
  async readAsOwner(sql: string, parameters: readonly unknown[] = []): Promise<Rows> {
    return this.#rows(sql, parameters);
  }

  /** Whether row-level security applies to the reader: neither its rights nor the tables may bypass it. */
  async readerSecurity(table: string): Promise<{ role: string; isAbove: boolean; isActive: boolean }> {
    await this.#database.exec(`SET ROLE ${READER}`);
    try {
      const { rows } = await this.#database.query<{ role: string; above: boolean; active: boolean }>(
        `SELECT rolname AS role, rolsuper OR rolbypassrls AS above, row_security_active($1) AS active
         FROM pg_roles WHERE rolname = current_user`,
        [table],
      );
      const [row] = rows;
      if (!row) throw new Error('the role is not there');
      return { role: row.role, isAbove: row.above, isActive: row.active };
    } finally {
      await this.#database.exec('RESET ROLE');
    }
  }

  async #rows(sql: string, parameters: readonly unknown[]): Promise<Rows> {
    const { rows } = await this.#database.query<unknown[]>(sql, [...parameters], { rowMode: 'array' });
    return rows
      .map((row) => JSON.stringify(row.map((cell) => (typeof cell === 'bigint' ? Number(cell) : cell))))
      .toSorted();
  }
}
