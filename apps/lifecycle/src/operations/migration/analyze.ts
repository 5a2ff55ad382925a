import type { CallContext } from '@gatehouse/service';
import { analyzeMigration } from '../../logic/migration/analysis.js';
import type { Answer, Input, Migrations } from './migrations.js';
import { readAnalyzed } from './readFacts.js';

/** What a migration would need, and what the target project has in place of it. Throws as a migration does. */
export async function analyze(
  migrations: Migrations,
  question: Input<'analyze'>,
  context: CallContext,
): Answer<'analyze'> {
  return analyzeMigration(await readAnalyzed(migrations, question, context));
}
