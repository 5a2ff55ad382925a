import { cpus, totalmem } from 'node:os';
import type { ComparisonSettings, Row } from './compare.js';
import { PARSE_VERSION } from './parse.js';

/** The target, as a share of the limit's throughput at 16 connections. */
const AIMS: Record<string, Record<string, number>> = {
  standalone: { list: 0.75, read: 0.6, update: 0.65, share: 0.6 },
  mesh: { list: 0.5, read: 0.35, update: 0.4, share: 0.35 },
};

const ms = (value: number) => value.toFixed(2);

const TIMES = ['p50 ms', 'p99 ms', 'program', 'engine'];
const NAMES = [
  'work',
  'connections',
  'server',
  'requests/s',
  ...TIMES,
  'of the limit',
  'aim',
  'of Parse',
  'failures',
];
const COLUMNS = NAMES.map((name) => ` ${name} |`);

const ratioOf = (row: Row, other: Row | undefined) =>
  other === undefined || other === row ? '' : (row.requestsPerSecond / other.requestsPerSecond).toFixed(2);

function line(row: Row, find: (server: string) => Row | undefined): string {
  const aim = row.connections === 16 ? (AIMS[row.server]?.[row.work] ?? '') : '';
  const cells = [
    row.work,
    row.connections,
    row.server,
    Math.round(row.requestsPerSecond),
    ms(row.p50Ms),
    ms(row.p99Ms),
    Math.round(row.programUs),
    Math.round(row.engineUs),
    ratioOf(row, find('limit')),
    aim,
    ratioOf(row, find('Parse Server')),
    row.failures,
  ];
  return `| ${cells.join(' | ')} |`;
}

/** The part above the results. */
export function reportMachine(): string {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
  return `# Results

Made by \`npm run bench\` on ${machine}. Gatehouse, the limit, the engine and the load share that machine.
`;
}

/** The comparison with the limit as a section of Markdown. */
export function reportComparison(rows: readonly Row[], settings: ComparisonSettings): string {
  const lineOf = (row: Row) => {
    const same = rows.filter(({ work, connections }) => work === row.work && connections === row.connections);
    return line(row, (server) => same.find((each) => each.server === server));
  };
  return `
## Beside the limit

The limit is a minimal server that runs the same indexed queries on the same engine without any authorization
(\`bench/src/limit.ts\`).
The servers are loaded alternately: ${settings.rounds} rounds of ${settings.seconds} s each, after one to warm up.
The table shows the medians of the rounds.
There are 20,000 dashboards, and a user with 25 principals who may see 500 of them.
Parse Server ${PARSE_VERSION} has 20,000 objects of a class on the same engine.
Its owner reads an object, changes its title, and replaces its access control list.

“program” and “engine” are microseconds of CPU of a request: of the server with all of its processes, and of
the engine.

|${COLUMNS.join('')}
|${'---|'.repeat(COLUMNS.length)}
${rows.map(lineOf).join('\n')}
`;
}
