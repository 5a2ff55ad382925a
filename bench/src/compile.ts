import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** What one work inside the policy service takes, in milliseconds. */
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
Resolving and compiling in the policy service, warm: a statement of three tables and five rules, each of which covers one of them. The rules
are parsed and the catalog is indexed; a statement seen before, with the same rules and values, is answered from memory. Where each rule
covers each table, there are fifteen conditions. What is printed is parsed again and compared, with parameters and with literals, so that the
parser takes more than half of the time.

| work | median ms | p99 ms |
|---|---|---|
${rows.join('\n')}
`;
}
