import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The duration of one work inside the policy service, in milliseconds. */
export interface CompileTimes {
  name: string;
  median: number;
  p99: number;
}

/** Runs `compileProgram.ts`, with the build of the policy service. */
export async function measureCompile(): Promise<CompileTimes[]> {
  const program = fileURLToPath(new URL('compileProgram.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  return JSON.parse(stdout) as CompileTimes[];
}

/** The times as a part of the results. */
export function reportCompile(times: CompileTimes[]): string {
  const rows = times.map(({ name, median, p99 }) => `| ${name} | ${median.toFixed(3)} | ${p99.toFixed(3)} |`);
  return `
Resolving and compiling in the policy service, warm:
a statement of three tables and five rules, each of which covers one of them.
The rules are parsed and the catalog is indexed.
A repeated statement, with the same rules and values, is returned from a cache.
If each rule covers each table, there are fifteen conditions.
The printed statement is parsed again and compared, with parameters and with literals,
so that the parser takes more than half of the time.

| work | median ms | p99 ms |
|---|---|---|
${rows.join('\n')}
`;
}
