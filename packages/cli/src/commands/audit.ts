import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Client, OperationInput } from '@gatehouse/client';
import {
  AuditOutcome,
  checkExport,
  UnreadableExportError,
  type AuditEvent,
  type ChainTip,
} from '@gatehouse/contract';
import type { Arguments, Command, Context, OptionSpec, Outcome } from '../command.js';
import { isMissing } from '../privateFiles.js';
import { EXIT_CODES } from '../exitCodes.js';
import { usageError } from '../failures.js';
import { formatFields, formatSection, formatTable, type Cell } from '../layout.js';
import { startProgress } from '../progress.js';
import { takeItems } from '../takeItems.js';
import { escapeControls } from '../terminal.js';

type AuditFilter = Omit<OperationInput<'exportAuditEvents'>, 'cursor'>;

const FILTER_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  type: { value: 'type', summary: 'of this event type, as management.dashboard.*' },
  actor: { value: 'id', summary: 'by this actor' },
  'resource-type': { value: 'noun', summary: 'about resources of this noun' },
  resource: { value: 'id', summary: 'about this resource' },
  project: { value: 'id', summary: 'of this project' },
  request: { value: 'id', summary: 'caused by this request' },
  outcome: { value: 'outcome', summary: 'with this outcome', choices: AuditOutcome.options },
  from: { value: 'time', summary: 'at this time or later' },
  to: { value: 'time', summary: 'before this time' },
};

function filterOf(given: Arguments): AuditFilter {
  return {
    type: given.text('type'),
    actorId: given.text('actor'),
    resourceType: given.text('resource-type'),
    resourceId: given.text('resource'),
    projectId: given.text('project'),
    requestId: given.text('request'),
    outcome: AuditOutcome.optional().parse(given.text('outcome')),
    from: given.text('from'),
    to: given.text('to'),
  };
}

const DEFAULT_LIMIT = 50;

const rowOf = ({ sequence, time, outcome, type, resourceId, actorId, requestId }: AuditEvent): Cell[] => [
  sequence,
  time,
  outcome,
  type,
  resourceId,
  actorId,
  requestId,
];

const list: Command = {
  name: 'audit list',
  summary: 'List changes and rejected requests, the latest first',
  options: {
    ...FILTER_OPTIONS,
    limit: { value: 'number', summary: `how many at most; by default ${DEFAULT_LIMIT}` },
  },
  async run(given, context) {
    const most = given.count('limit') ?? DEFAULT_LIMIT;
    const client = await context.client();
    const { items, isWhole } = await takeItems(client.items.listAuditEvents(filterOf(given)), most);
    const headings = ['PLACE', 'TIME', 'OUTCOME', 'TYPE', 'RESOURCE', 'ACTOR', 'REQUEST'];
    return { json: { auditEvents: items, isWhole }, text: formatTable(headings, items.map(rowOf)) };
  },
};

/** Writes an export as it arrives; returns the number of entries. */
async function writeExport(
  client: Client,
  filter: AuditFilter,
  { context, write }: { context: Context; write: (line: string) => Promise<unknown> },
): Promise<number> {
  const progress = startProgress(context.terminal, 'Exported');
  let total = 0;
  try {
    for await (const line of client.stream.exportAuditEvents(filter)) {
      if (line.type === 'progress') progress.show(line.done, line.total);
      else await write(`${JSON.stringify(line)}\n`);
      if (line.type === 'summary') ({ total } = line);
    }
  } finally {
    progress.end();
  }
  return total;
}

/** Into a file that only its owner can read, and that appears only when it is complete. */
async function writeExportFile(
  file: string,
  client: Client,
  { filter, context }: { filter: AuditFilter; context: Context },
): Promise<number> {
  const unfinished = `${file}.${randomUUID()}`;
  const handle = await open(unfinished, 'wx', 0o600);
  try {
    const total = await writeExport(client, filter, { context, write: (line) => handle.write(line) });
    await handle.sync();
    await rename(unfinished, file);
    return total;
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

const exportLog: Command = {
  name: 'audit export',
  summary: 'Export the log as NDJSON, in its order',
  options: {
    ...FILTER_OPTIONS,
    output: { value: 'file', summary: 'write to this file; by default to standard output' },
  },
  async run(given, context) {
    const client = await context.client();
    const file = given.text('output');
    const filter = filterOf(given);
    if (file === undefined) {
      const write = (line: string) => context.terminal.write(escapeControls(line));
      await writeExport(client, filter, { context, write });
      return null;
    }
    const total = await writeExportFile(file, client, { filter, context });
    return { json: { file, total }, text: `${total} entries in ${file}.\n` };
  },
};

/** The last entry in the report of an earlier verification. */
async function readEarlier(file: string | undefined): Promise<Map<string, ChainTip>> {
  if (file === undefined) return new Map();
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw usageError(isMissing(error) ? `There is no file ${file}` : `${file} cannot be read`);
  });
  try {
    const { reports } = JSON.parse(text) as { reports: { organizationId: string; last: ChainTip | null }[] };
    return new Map(reports.flatMap(({ organizationId, last }) => (last ? [[organizationId, last]] : [])));
  } catch {
    throw usageError(`${file} is no report of "audit verify --json"`);
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

async function verifyFile(file: string, earlier: ReadonlyMap<string, ChainTip>): Promise<Outcome> {
  const openLines = () => createInterface({ input: createReadStream(file), crlfDelay: Infinity });
  const report = await checkExport(openLines, { digest: sha256, earlier }).catch((error: unknown) => {
    if (error instanceof UnreadableExportError) throw usageError(`${file}: ${error.message}`);
    throw isMissing(error) ? usageError(`There is no file ${file}`) : error;
  });
  const { organizationId, outcome, entryCount, last, faults, faultCount, isWhole } = report;
  const about = formatFields({
    organization: organizationId,
    outcome,
    entries: entryCount,
    last: last && `${last.sequence} ${last.hash}`,
    faults: faultCount,
    'all of the log': isWhole,
  });
  const rows = faults.map(({ sequence, kind }) => [sequence, kind]);
  const found = rows.length === 0 ? [] : [formatSection('Faults:', formatTable(['PLACE', 'FAULT'], rows))];
  return {
    json: { reports: [report] },
    text: [about, ...found].join('\n'),
    ...(outcome !== 'intact' && { exitCode: EXIT_CODES.foundFaults }),
  };
}

const verify: Command = {
  name: 'audit verify',
  summary: 'Verify that nothing in the log was changed, left out or put in',
  options: {
    file: { value: 'file', summary: 'verify this export; by default the current log' },
    since: {
      value: 'file',
      summary: 'an earlier output of "audit verify --json", whose entries must still exist',
    },
  },
  notes: [
    'The hashes are verified, but not the seal on the end of the log: only an installation has the keys for it.',
    'Exit code 1: the log is damaged.\n',
  ].join('\n'),
  async run(given, context) {
    const earlier = await readEarlier(given.text('since'));
    const file = given.text('file');
    if (file !== undefined) return verifyFile(file, earlier);
    const client = await context.client();
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-'));
    try {
      const whole = join(folder, 'export.ndjson');
      await writeExportFile(whole, client, { filter: {}, context });
      return await verifyFile(whole, earlier);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

export const auditCommands: readonly Command[] = [list, exportLog, verify];
