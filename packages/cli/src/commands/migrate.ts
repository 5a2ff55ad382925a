import type { Client, OperationInput } from '@gatehouse/client';
import type { MigrationAnalysis, MigrationPreview, MigrationResult } from '@gatehouse/contract';
import type { Arguments, Command, Context, Outcome } from '../command.js';
import { EXIT_CODES } from '../exitCodes.js';
import { usageError } from '../failures.js';
import { readObject } from '../files.js';
import { formatFields, formatSection, formatTable, type Cell } from '../layout.js';
import { putSecretAway, SECRET_FILE_OPTION } from '../secretFile.js';

type MigrationRequest = OperationInput<'migrateDashboard'>;

function analysisRows(analysis: MigrationAnalysis): Cell[][] {
  const nouns = ['connections', 'domains', 'datamodels', 'visuals', 'assistantProfiles'] as const;
  return nouns.flatMap((noun) =>
    analysis[noun].map(({ sourceId, name, suggestedTargetId, candidates }) => [
      noun,
      sourceId,
      name,
      suggestedTargetId,
      candidates.map(({ id }) => id).join(', '),
    ]),
  );
}

function formatAnalysis(analysis: MigrationAnalysis): string {
  const { dashboard, targetProject, problems } = analysis;
  const about = formatFields({
    dashboard: `${dashboard.id} ${dashboard.title}`,
    from: dashboard.projectId,
    to: `${targetProject.id} ${targetProject.name}`,
  });
  const headings = ['KIND', 'SOURCE', 'NAME', 'SUGGESTED', 'CANDIDATES'];
  const faults = problems.map(({ field, message }) => [field, message]);
  return [
    about,
    formatTable(headings, analysisRows(analysis), 'It refers to nothing.'),
    ...(faults.length === 0 ? [] : [formatSection('To be decided:', formatTable(['FIELD', 'WHY'], faults))]),
  ].join('\n');
}

function formatPlan({ plan }: MigrationPreview): string {
  const steps = plan.steps.map(({ action, sourceId, title }, index) => [index + 1, action, sourceId, title]);
  const reused = plan.reused.map(({ noun, sourceId, targetId }) => [noun, sourceId, targetId]);
  const dropped = plan.dropped.map(({ noun, sourceId }) => [noun, sourceId, 'dropped']);
  return [
    formatSection('Plan:', formatTable(['STEP', 'ACTION', 'SOURCE', 'TITLE'], steps)),
    formatSection('References:', formatTable(['KIND', 'SOURCE', 'TARGET'], [...reused, ...dropped])),
  ].join('\n');
}

/** The mappings of a file, or those that the analysis suggests, merged with the arguments. */
async function requestOf(
  given: Arguments,
  context: Context,
  { suggestedRequest }: MigrationAnalysis,
): Promise<MigrationRequest> {
  const file = given.text('request');
  const fields = file === undefined ? suggestedRequest : await readObject(file, context);
  const replaceExistingId = given.text('replace');
  const commitMessage = given.text('message');
  // The API checks the content of a file, and names what is wrong with it.
  return {
    ...fields,
    id: given.required('dashboard'),
    targetProjectId: given.text('to') ?? '',
    ...(replaceExistingId !== undefined && { replaceExistingId }),
    ...(commitMessage !== undefined && { commitMessage }),
    dryRun: true,
  } as MigrationRequest;
}

async function apply(client: Client, request: MigrationRequest, secretFile?: string) {
  const done = (await client.migrateDashboard({ ...request, dryRun: false })) as MigrationResult;
  return { ...done, dashboard: await putSecretAway(done.dashboard, secretFile) };
}

function formatResult({
  migrationId,
  dashboard,
  replaced,
  versionControl,
}: Awaited<ReturnType<typeof apply>>) {
  return formatFields({
    migration: migrationId,
    dashboard: `${dashboard.id} ${dashboard.title}`,
    replaced,
    committed: versionControl.status,
  });
}

async function migrate(given: Arguments, context: Context): Promise<Outcome> {
  const client = await context.client();
  const id = given.required('dashboard');
  const analysis = await client.analyzeMigration({ id, targetProjectId: given.text('to') ?? '' });
  const isDecided = given.text('request') !== undefined || analysis.problems.length === 0;
  if (!isDecided)
    return { json: { analysis }, text: formatAnalysis(analysis), exitCode: EXIT_CODES.foundFaults };
  const request = await requestOf(given, context, analysis);
  const preview = (await client.migrateDashboard(request)) as MigrationPreview;
  const texts = [formatAnalysis(analysis), formatPlan(preview)];
  if (!given.flag('apply'))
    return {
      json: { analysis, plan: preview.plan },
      text: [...texts, 'Nothing was written. --apply carries it out.\n'].join('\n'),
    };
  const result = await apply(client, request, given.text('secret-file'));
  return {
    json: { analysis, plan: preview.plan, result },
    text: [...texts, formatSection('Done:', formatResult(result))].join('\n'),
  };
}

/** Plans the migration of a dashboard, and runs it if requested. */
export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'Plan the copy of a dashboard into another project, or carry it out',
  positionals: [{ name: 'dashboard', names: 'dashboard' }],
  options: {
    to: { value: 'project', names: 'project', summary: 'the target project', isRequired: true },
    plan: { summary: 'show the plan and write nothing, which is the default' },
    apply: { summary: 'carry out the plan' },
    request: { value: 'file', summary: 'the mappings as JSON; by default the suggested ones' },
    replace: { value: 'id', summary: 'overwrite this dashboard of the target project' },
    message: { value: 'text', summary: 'commit the result with this message' },
    ...SECRET_FILE_OPTION,
  },
  notes: [
    'Exit code 1: a decision is missing. "--json" shows the suggested request as analysis.suggestedRequest;',
    'save it, fill in what is missing, and pass it with --request.\n',
  ].join('\n'),
  async run(given, context) {
    if (given.flag('plan') && given.flag('apply')) throw usageError('--plan and --apply exclude each other');
    return migrate(given, context);
  },
};
