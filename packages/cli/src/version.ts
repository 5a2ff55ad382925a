import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The version of this package. The package refers to itself, so that any of its bundles finds the file. */
export function readVersion(): string {
  const file = createRequire(import.meta.url).resolve('@gatehouse/cli/package.json');
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return version;
}
