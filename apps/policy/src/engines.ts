import type { SqlDialect } from '@gatehouse/contract';
import { RecentMap } from '@gatehouse/service';
import type { SqlEngine } from './logic/model.js';
import { createPostgresEngine } from './logic/postgres/engine.js';
import { ParserThread } from './polyglot/parserThread.js';
import { PolyglotEngine } from './polyglot/polyglotEngine.js';
import { rememberAnswers } from './rememberAnswers.js';

export interface Engines {
  engineOf(dialect: SqlDialect): SqlEngine;
  /** Rejects when a parser does not answer. */
  checkReady(): Promise<void>;
  stop(): Promise<void>;
}

/** What is kept from one statement to the next, in characters of its keys. A tree takes some 30 bytes for each. */
const KEPT_CHARACTERS = 1024 * 1024;

/** The engine of PostgreSQL with what it keeps. */
export function createPostgres(): Promise<SqlEngine> {
  return createPostgresEngine({
    rules: new RecentMap(KEPT_CHARACTERS),
    tables: new RecentMap(KEPT_CHARACTERS),
    conditions: new RecentMap(KEPT_CHARACTERS),
    parameterized: new RecentMap(KEPT_CHARACTERS),
  });
}

/** Makes the engine of each dialect. `timeoutMs` is the longest that one statement may take. */
export async function createEngines(timeoutMs: number): Promise<Engines> {
  const postgres = rememberAnswers(await createPostgres());
  const thread = new ParserThread({ timeoutMs });
  const polyglot = rememberAnswers(new PolyglotEngine(thread));
  return {
    engineOf: (dialect) => (dialect === 'postgres' ? postgres : polyglot),
    async checkReady() {
      if (!(await thread.isReady())) throw new Error('The SQL parser does not answer');
    },
    stop: () => thread.close(),
  };
}
