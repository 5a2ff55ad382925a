import { openSession, type Session } from '../configuration/actual/session.js';
import { readProject, type ActualState } from '../configuration/actual/readProject.js';
import { parseFolder, readFolder } from '../configuration/desired/readFolder.js';
import { planFolder, writeFolder } from '../configuration/desired/writeFolder.js';
import type { Difference } from '../configuration/diff/changes.js';
import { compareRecords } from '../configuration/diff/compareRecords.js';
import { formatDifference, summarize } from '../configuration/diff/formatDifference.js';
import { StepRunner } from '../configuration/execute/runSteps.js';
import { nameOf, withoutExpiredShares, type DesiredRecord } from '../configuration/model/records.js';
import { variablesOf } from '../configuration/model/secrets.js';
import { readPlan, requireCurrent, writePlan, type SavedPlan } from '../configuration/planFile.js';
import { planSteps } from '../configuration/steps/planSteps.js';
import type { Step } from '../configuration/steps/steps.js';
import type { Arguments, Command, Context, Outcome } from '../command.js';
import { EXIT_CODES } from '../exitCodes.js';
import { CommandError, usageError } from '../failures.js';
import { startProgress } from '../progress.js';
import { showable } from '../terminal.js';

const DEFAULT_FOLDER = 'gatehouse';
const FOLDER = [{ name: 'folder', isOptional: true }];
const SCOPE_OPTIONS = {
  prune: { summary: 'also delete the records that only the project has' },
  'raise-owners': { summary: 'let owners create what they own, until the end of the apply' },
};

const folderOf = (given: Arguments) => given.positional('folder') ?? DEFAULT_FOLDER;

function warn({ terminal }: Context, { warnings }: ActualState): void {
  for (const warning of warnings) terminal.writeError(`gatehouse: ${showable(warning)}\n`);
}

async function open(context: Context): Promise<{ session: Session; actual: ActualState }> {
  const session = openSession(await context.account());
  const actual = await readProject(session);
  warn(context, actual);
  return { session, actual };
}

const pull: Command = {
  name: 'pull',
  summary: 'Write the project as YAML files',
  positionals: FOLDER,
  options: { overwrite: { summary: 'replace files that differ, and remove those of deleted records' } },
  notes: `The folder is "${DEFAULT_FOLDER}" unless you name one. Commit it before --overwrite.\n`,
  async run(given, context) {
    const folder = folderOf(given);
    const { actual } = await open(context);
    const visible = actual.records.filter(({ isHidden }) => isHidden !== true);
    const changes = planFolder(visible, await parseFolder(folder));
    const { written, removed, overwritten } = changes;
    if (overwritten.length > 0 && !given.flag('overwrite'))
      throw new CommandError(
        EXIT_CODES.conflict,
        `${overwritten.length} files in ${folder} differ from the project, such as ${overwritten[0]}: ` +
          'add --overwrite to replace them',
      );
    await writeFolder(folder, changes);
    return {
      json: { folder, written: [...written.keys()], removed, warnings: actual.warnings },
      text:
        `Wrote ${written.size} files to ${folder}, removed ${removed.length}, ` +
        `${visible.length} records.\n`,
    };
  },
};

function compare(
  desired: readonly DesiredRecord[],
  { session, actual }: Opened,
  isPruned: boolean,
): Difference {
  return compareRecords(desired, actual.records, { isPruned, callerId: session.callerId });
}

type Opened = Awaited<ReturnType<typeof open>>;

const plan: Command = {
  name: 'plan',
  summary: 'Show what differs between a folder and the project',
  positionals: FOLDER,
  options: {
    ...SCOPE_OPTIONS,
    out: { value: 'file', summary: 'write the plan to this file, for gatehouse apply' },
  },
  notes: [
    'Exit code 0: no difference; 2: differences; 1: invalid files, or a difference that cannot be applied.',
    '',
  ].join('\n'),
  usageExitCode: EXIT_CODES.foundFaults,
  async run(given, context) {
    const desired = withoutExpiredShares(await readFolder(folderOf(given)), Date.now());
    const opened = await open(context);
    const isPruned = given.flag('prune');
    const difference = compare(desired, opened, isPruned);
    const { changes, unmanaged } = difference;
    const raisesOwners = given.flag('raise-owners');
    const states = { desired, actual: opened.actual.records, raisesOwners };
    const problems = [...difference.problems, ...planSteps(changes, states).problems];
    const file = given.text('out');
    const { projectId } = opened.session;
    const saved = { projectId, isPruned, raisesOwners, desired, changes };
    if (file !== undefined) await writePlan(file, saved);
    const found = changes.length === 0 ? EXIT_CODES.ok : EXIT_CODES.differences;
    return {
      json: { changes, unmanaged, problems, summary: summarize(changes) },
      text: formatDifference({ changes, unmanaged, problems }),
      exitCode: problems.length > 0 ? EXIT_CODES.foundFaults : found,
    };
  },
};

/** @throws CommandError unless the user confirms the deletions */
async function confirmDeletions(
  given: Arguments,
  { terminal }: Context,
  difference: Difference,
): Promise<void> {
  const count = summarize(difference.changes).delete;
  if (count === 0 || given.flag('yes')) return;
  if (!terminal.isInteractive) throw usageError(`${count} records are to be deleted: add --yes`);
  terminal.writeError(formatDifference(difference));
  const answer = await terminal.ask(`Permanently delete ${count} records? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw usageError('Not confirmed: nothing was changed');
}

/** @throws CommandError with the names of all environment variables that are missing */
function requireVariables(steps: readonly Step[], variable: (name: string) => string | undefined): void {
  const names = steps.flatMap((step) => ('fields' in step ? variablesOf(step.kind, step.fields) : []));
  const missing = [...new Set(names.filter((name) => variable(name) === undefined))];
  if (missing.length > 0) throw usageError(`set the environment variables ${missing.join(', ')}`);
}

async function runAll(runner: StepRunner, steps: readonly Step[], { terminal }: Context): Promise<void> {
  const progress = startProgress(terminal, 'Applied');
  for (const [index, step] of steps.entries()) {
    const resume = `${index} of ${steps.length} steps are done; run the command again to continue`;
    try {
      if (terminal.interrupted?.aborted === true)
        throw new CommandError(EXIT_CODES.notReachable, 'Interrupted');
      await runner.run(step);
    } catch (error) {
      progress.end();
      terminal.writeError(`gatehouse: stopped at ${step.action} ${showable(nameOf(step))}: ${resume}\n`);
      throw error;
    }
    progress.show(index + 1, steps.length);
  }
  progress.end();
}

async function applyTo(given: Arguments, context: Context, saved: SavedPlan | null): Promise<Outcome> {
  const described = saved?.desired ?? (await readFolder(folderOf(given)));
  const desired = withoutExpiredShares(described, Date.now());
  const opened = await open(context);
  const { session, actual } = opened;
  if (saved && saved.projectId !== session.projectId)
    throw usageError(`the plan is for project ${saved.projectId}`);
  const difference = compare(desired, opened, saved?.isPruned ?? given.flag('prune'));
  if (saved) requireCurrent(saved, difference.changes);
  const raisesOwners = saved?.raisesOwners ?? given.flag('raise-owners');
  const planned = planSteps(difference.changes, { desired, actual: actual.records, raisesOwners });
  const problems = [...difference.problems, ...planned.problems];
  if (problems.length > 0) throw new CommandError(EXIT_CODES.conflict, problems.join('; '));
  const variable = (name: string) => context.environment.variable?.(name);
  requireVariables(planned.steps, variable);
  await confirmDeletions(given, context, difference);
  const message = given.text('message');
  const runner = new StepRunner({ session, actual: actual.records, desired, variable, message });
  await runAll(runner, planned.steps, context);
  const summary = summarize(difference.changes);
  return {
    json: { changes: difference.changes, summary },
    text: `${summary.create} created, ${summary.update} updated, ${summary.delete} deleted.\n`,
  };
}

const apply: Command = {
  name: 'apply',
  summary: 'Make the project what a folder or a plan describes',
  positionals: [{ name: 'folder', isOptional: true }],
  options: {
    ...SCOPE_OPTIONS,
    yes: { summary: 'skip the confirmation of deletions; required without a terminal' },
    message: { value: 'text', summary: 'commit changed dashboards with this message' },
  },
  notes: 'Instead of a folder, name the file of "gatehouse plan --out". A stale plan is rejected.\n',
  async run(given, context) {
    const file = given.positional('folder');
    const saved = file === undefined ? null : await readPlan(file);
    for (const option of Object.keys(SCOPE_OPTIONS))
      if (saved && given.flag(option)) throw usageError(`--${option} belongs to gatehouse plan`);
    return applyTo(given, context, saved);
  },
};

export const configurationCommands: readonly Command[] = [pull, plan, apply];
