import type { SqlDialect } from '@gatehouse/contract';
import type { SqlEngine } from './logic/model.js';
import { createPostgresEngine } from './logic/postgres/engine.js';
import { ParserThread } from './polyglot/parserThread.js';
import { PolyglotEngine } from './polyglot/polyglotEngine.js';

/** Makes the engine of each dialect. `timeoutMs` is the longest that one statement may take. */
export async function createEngines(timeoutMs: number): Promise<(dialect: SqlDialect) => SqlEngine> {
  const postgres = await createPostgresEngine();
  const polyglot = new PolyglotEngine(new ParserThread({ timeoutMs }));
  return (dialect) => (dialect === 'postgres' ? postgres : polyglot);
}
