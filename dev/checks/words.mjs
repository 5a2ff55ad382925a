import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { checkText } from './words/checkText.mjs';
import { generated, longLines, quotesPhrases } from './words/exceptions.mjs';

/**
 * Checks the words and the line lengths of the text files in git, of this project or of the folder in the
 * first argument. Prints each finding with a suggestion, and exits with code 1 if there is one.
 */

const root = process.argv[2] ?? path.resolve(import.meta.dirname, '../..');
const TEXT = /(?:\.(?:[cm]?[jt]sx?|md|ya?ml|sh|css|html|conf|toml|lua)|Dockerfile)$/;
const SKIPPED = [...generated, ...quotesPhrases];

/** The files that git tracks or would add. */
function listFiles() {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => TEXT.test(file) && !SKIPPED.some((start) => file.startsWith(start)))
    .filter((file) => existsSync(path.join(root, file)));
}

const files = listFiles();
const findings = files.flatMap((file) =>
  checkText(file, readFileSync(path.join(root, file), 'utf8'))
    .filter(({ isLength }) => !isLength || !longLines.includes(file))
    .map((finding) => ({ file, ...finding })),
);
for (const { file, line, problem, instead } of findings)
  console.log(`${file}:${line}: ${problem}; use: ${instead}`);
console.log(`${findings.length} findings in ${files.length} files`);
process.exitCode = findings.length > 0 ? 1 : 0;
