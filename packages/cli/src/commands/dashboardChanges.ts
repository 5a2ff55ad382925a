import type { Arguments, Command, Context, OptionSpec, Outcome } from '../command.js';
import { usageError } from '../failures.js';
import { readObject } from '../files.js';
import { showable } from '../terminal.js';
import { putSecretAway, SECRET_FILE_OPTION } from '../secretFile.js';
import { isValidateOnly, validateOnlyOf, validateOnlyOption, validOutcome } from '../validateOnly.js';

const DASHBOARD = [{ name: 'dashboard', names: 'dashboard' }] as const;

const FIELD_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  description: { value: 'text', summary: 'what it is about' },
  tag: { value: 'tag', summary: 'a tag; all of them are set', isMultiple: true },
  private: { summary: 'for its owner and those it is shared with' },
  public: { summary: "for the owner's organization or tenant" },
  template: { value: 'file', summary: 'the template as JSON; - for the standard input' },
  message: { value: 'text', summary: 'commit it with this message' },
};

function privacyOf(given: Arguments): { isPrivate?: boolean } {
  if (given.flag('private') && given.flag('public'))
    throw usageError('--private and --public exclude each other');
  if (given.flag('private')) return { isPrivate: true };
  return given.flag('public') ? { isPrivate: false } : {};
}

async function fieldsOf(given: Arguments, context: Context) {
  const file = given.text('template');
  const tags = given.texts('tag');
  return {
    title: given.text('title'),
    description: given.text('description'),
    ...(tags.length > 0 && { tags }),
    ...privacyOf(given),
    ...(file !== undefined && { template: await readObject(file, context) }),
    commitMessage: given.text('message'),
  };
}

/** The secret of a dashboard that was not created is of no use. */
const secretFileOf = (given: Arguments) => (isValidateOnly(given) ? undefined : given.text('secret-file'));

function say(verb: string, dashboard: { id: string; title: string }, json: unknown): Outcome {
  return { json, text: `${verb} ${dashboard.id}.\n` };
}

const create: Command = {
  name: 'dashboards create',
  summary: 'Create a dashboard',
  options: {
    title: { value: 'text', summary: 'its title', isRequired: true },
    ...FIELD_OPTIONS,
    ...SECRET_FILE_OPTION,
    ...validateOnlyOption('createDashboard'),
  },
  async run(given, context) {
    const fields = await fieldsOf(given, context);
    const client = await context.client();
    const input = { ...fields, title: fields.title ?? '', ...validateOnlyOf(given) };
    const answer = await client.createDashboard(input);
    const dashboard = await putSecretAway(answer.dashboard, secretFileOf(given));
    if (isValidateOnly(given)) return validOutcome({ ...answer, dashboard });
    return say('Created', dashboard, { ...answer, dashboard });
  },
};

const update: Command = {
  name: 'dashboards update',
  summary: 'Change fields of a dashboard',
  positionals: DASHBOARD,
  options: {
    title: { value: 'text', summary: 'its title' },
    ...FIELD_OPTIONS,
    'if-match': { value: 'tag', summary: 'only if this is still its entity tag' },
    ...validateOnlyOption('updateDashboard'),
  },
  async run(given, context) {
    const fields = await fieldsOf(given, context);
    if (Object.values(fields).every((value) => value === undefined))
      throw usageError('Nothing is to be changed: see gatehouse dashboards update --help');
    const client = await context.client();
    const ifMatch = given.text('if-match');
    const input = { id: given.required('dashboard'), ...fields, ...validateOnlyOf(given) };
    const answer = await client.updateDashboard(input, ifMatch === undefined ? {} : { ifMatch });
    if (isValidateOnly(given)) return validOutcome(answer);
    return say('Changed', answer.dashboard, answer);
  },
};

const duplicate: Command = {
  name: 'dashboards duplicate',
  summary: 'Copy a dashboard; the copy is yours',
  positionals: DASHBOARD,
  options: {
    title: { value: 'text', summary: 'the title of the copy' },
    message: { value: 'text', summary: 'commit it with this message' },
    ...SECRET_FILE_OPTION,
    ...validateOnlyOption('duplicateDashboard'),
  },
  async run(given, context) {
    const client = await context.client();
    const answer = await client.duplicateDashboard({
      id: given.required('dashboard'),
      title: given.text('title'),
      commitMessage: given.text('message'),
      ...validateOnlyOf(given),
    });
    const dashboard = await putSecretAway(answer.dashboard, secretFileOf(given));
    if (isValidateOnly(given)) return validOutcome({ ...answer, dashboard });
    return say('Created', dashboard, { ...answer, dashboard });
  },
};

/** @throws CommandError unless the user confirms the deletion of this record on this server */
async function confirmDeletion(
  { dashboard }: { dashboard: { id: string; title: string } },
  { account, terminal }: Context,
): Promise<void> {
  const { baseUrl, profile } = await account();
  const place = profile === null ? baseUrl : `${baseUrl} (profile ${profile.name})`;
  const name = `${showable(dashboard.title)} (${showable(dashboard.id)})`;
  const answer = await terminal.ask(`Permanently delete the dashboard ${name} on ${place}? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw usageError('Not confirmed: nothing was deleted');
}

const remove: Command = {
  name: 'dashboards delete',
  summary: 'Delete a dashboard for good',
  positionals: DASHBOARD,
  options: {
    yes: { summary: 'skip the confirmation; required without a terminal' },
    ...validateOnlyOption('deleteDashboard'),
  },
  deletes: 'dashboard',
  async run(given, context) {
    const id = given.required('dashboard');
    const client = await context.client();
    const isConfirmed = given.flag('yes') || isValidateOnly(given);
    if (!isConfirmed) await confirmDeletion(await client.getDashboard({ id }), context);
    const answer = await client.deleteDashboard({ id, ...validateOnlyOf(given) });
    if (isValidateOnly(given)) return validOutcome(answer);
    return say('Deleted', answer.deletedDashboard, answer);
  },
};

export const dashboardChangeCommands: readonly Command[] = [create, update, duplicate, remove];
