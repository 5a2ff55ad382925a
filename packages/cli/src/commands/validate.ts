import type { Client, OperationInput, OperationOutput } from '@gatehouse/client';
import type { ValidationResult } from '@gatehouse/contract';
import type { Arguments, Command, Context, Outcome } from '../command.js';
import { EXIT_CODES } from '../exitCodes.js';
import { usageError } from '../failures.js';
import { readObject } from '../files.js';
import { formatTable, type Cell } from '../layout.js';
import { startProgress } from '../progress.js';
import { showable } from '../terminal.js';

type BatchResult = OperationOutput<'validateAllDashboards'>['results'][number];
type BatchFilter = NonNullable<OperationInput<'validateAllDashboards'>['filter']>;

function issueRows({ dashboardId, dashboardTitle, issues }: ValidationResult): Cell[][] {
  return issues.map(({ code, severity, path, message, suggestions = [] }) => [
    dashboardId,
    dashboardTitle,
    severity,
    code,
    path,
    suggestions.length === 0 ? message : `${message} (did you mean ${suggestions.join(', ')}?)`,
  ]);
}

/** The rows of a dashboard in a batch. Its issues are hidden from a caller who may list but not read it. */
function batchRows(result: BatchResult): Cell[][] {
  if ('error' in result) return [[result.dashboardId, null, 'failed', null, null, result.error]];
  if (result.isValid || result.issues.length > 0) return issueRows(result);
  const { dashboardId, dashboardTitle } = result;
  return [
    [dashboardId, dashboardTitle, 'error', null, null, 'invalid; without access, its issues are hidden'],
  ];
}

const HEADINGS = ['DASHBOARD', 'TITLE', 'SEVERITY', 'CODE', 'AT', 'MESSAGE'];
const formatIssues = (rows: Cell[][]) => formatTable(HEADINGS, rows, 'No issues.');
const verdict = (isValid: boolean) => (isValid ? {} : { exitCode: EXIT_CODES.foundFaults });

function outcomeOfOne(result: ValidationResult): Outcome {
  const name = result.dashboardTitle ?? result.dashboardId ?? 'The template';
  const head = `${showable(name)} is ${result.isValid ? 'valid' : 'invalid'}.\n`;
  return {
    json: result,
    text: `${head}\n${formatIssues(issueRows(result))}`,
    ...verdict(result.isValid),
  };
}

function filterOf(given: Arguments): BatchFilter {
  const tenantId = given.text('tenant');
  const changedSince = given.text('changed-since');
  return {
    type: tenantId === undefined ? 'all' : 'tenant',
    ...(tenantId !== undefined && { tenantId }),
    ...(changedSince !== undefined && { changedSince }),
  };
}

/** Reads the whole stream, and shows the progress. */
async function validateAll(client: Client, filter: BatchFilter, context: Context): Promise<Outcome> {
  const results: BatchResult[] = [];
  const progress = startProgress(context.terminal, 'Validated');
  const signal = context.terminal.interrupted;
  try {
    for await (const line of client.stream.validateAllDashboards({ filter }, { ...(signal && { signal }) })) {
      if (line.type === 'result') results.push(line.result);
      if (line.type === 'progress') progress.show(line.done, line.total);
      if (line.type !== 'summary') continue;
      const { type: _type, ...summary } = line;
      progress.end();
      return outcomeOfAll({ ...summary, results });
    }
  } catch (error) {
    if (signal?.aborted !== true) throw error;
    const text = formatIssues(results.flatMap(batchRows));
    return { json: { results, isWhole: false }, text, exitCode: EXIT_CODES.notReachable };
  } finally {
    progress.end();
  }
  throw new Error('The stream had no summary');
}

function outcomeOfAll(answer: OperationOutput<'validateAllDashboards'>): Outcome {
  const { results, totalDashboards, validDashboards, invalidDashboards, failedDashboards } = answer;
  const rows = results.flatMap(batchRows);
  const head =
    `${totalDashboards} dashboards: ${validDashboards} valid, ${invalidDashboards} invalid, ` +
    `${failedDashboards} could not be validated.\n`;
  return {
    json: answer,
    text: `${head}\n${formatIssues(rows)}`,
    ...verdict(invalidDashboards + failedDashboards === 0),
  };
}

/** Validates one dashboard, a template that is not saved, or all. */
export const validateCommand: Command = {
  name: 'validate',
  summary: 'Validate a dashboard, a template, or all dashboards against the schemas of their data sources',
  positionals: [{ name: 'dashboard', isOptional: true, names: 'dashboard' }],
  options: {
    template: { value: 'file', summary: 'a template that is not saved; - for the standard input' },
    all: { summary: 'all dashboards of the project' },
    tenant: { value: 'id', names: 'tenant', summary: 'with --all: those of this tenant' },
    'changed-since': {
      value: 'time',
      summary: 'with --all: those whose tables changed at that time or later',
    },
  },
  notes: 'Exit code 1: something is invalid, or could not be validated.\n',
  async run(given, context) {
    const dashboardId = given.positional('dashboard');
    const file = given.text('template');
    const isAll = given.flag('all');
    if ([dashboardId !== undefined, file !== undefined, isAll].filter(Boolean).length !== 1)
      throw usageError('Give a dashboard, or --template, or --all');
    if (!isAll && (given.text('tenant') ?? given.text('changed-since')) !== undefined)
      throw usageError('--tenant and --changed-since go with --all');
    const template = file === undefined ? undefined : await readObject(file, context);
    const client = await context.client();
    return isAll
      ? validateAll(client, filterOf(given), context)
      : outcomeOfOne(await client.validateDashboard({ dashboardId, template }));
  },
};
