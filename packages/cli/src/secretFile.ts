import type { OptionSpec } from './command.js';
import { writePrivateFile } from './privateFiles.js';

/** For commands whose response shows a secret once. */
export const SECRET_FILE_OPTION: Readonly<Record<string, OptionSpec>> = {
  'secret-file': {
    value: 'file',
    summary: "keep the new dashboard's secret in this file; it is never printed",
  },
};

/**
 * A record without its secret, which is written to a file that only its owner can read, or nowhere. Secrets
 * on a terminal stay in its history, and those of a pipeline in its logs.
 */
export async function putSecretAway<T extends { secret: string | null }>(
  { secret, ...record }: T,
  file: string | undefined,
): Promise<Omit<T, 'secret'>> {
  if (file !== undefined && secret !== null) await writePrivateFile(file, `${secret}\n`);
  return record;
}
