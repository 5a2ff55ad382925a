import { findProcedure, inputFieldsOf, routes, type Route } from '@gatehouse/contract';
import type { CallOptions, Client } from '@gatehouse/client';
import type { z } from 'zod';
import type { Arguments, Command, Context, OptionSpec, Outcome } from '../command.js';
import { usageError } from '../failures.js';
import { projectOf } from '../project.js';
import { nameKindOf } from '../names/nameKinds.js';
import { confirmDeletion } from './confirmDeletion.js';
import { fieldOption, isSecretField, type FieldOption } from './fields.js';
import { formatAnswer } from './formatAnswer.js';
import { commandNameOf, positionalOf } from './naming.js';
import { readInputFile } from './readInputFile.js';
import { putSecretsAway, secretOption } from './secrets.js';
import { runStream } from './runStream.js';
import { isValidateOnly, validateOnlyOf, validateOnlyOption, validOutcome } from '../validateOnly.js';

type Input = Record<string, unknown>;
type Operation = (input: Input, options?: CallOptions) => Promise<unknown>;

/** The fields that select a page: lists are read page by page. */
const PAGE_FIELDS = ['cursor', 'page', 'pageSize', 'offset', 'limit'];
const DEFAULT_LIMIT = 100;
/** The fields that the account has. */
const ACCOUNT_FIELDS = ['projectId', 'projectSecret'];

/** A command for an operation, with the parts that its parsing needs. */
interface Shape {
  route: Route;
  noun: string;
  /** The path parameters that are positionals. */
  path: readonly string[];
  fields: readonly FieldOption[];
}

const isListed = ({ operationId }: Route, client: Client) => Object.hasOwn(client.items, operationId);
const isPaged = (route: Route) => inputFieldsOf(route).query.some((field) => PAGE_FIELDS.includes(field));

function shapeOf(route: Route): Shape {
  const [noun = ''] = commandNameOf(route.operationId).split(' ');
  const { path, query, body } = inputFieldsOf(route);
  const { shape } = findProcedure(route.procedure).input;
  const { operationId } = route;
  const isOffered = (field: string) =>
    !isSecretField(field) && !(isPaged(route) && PAGE_FIELDS.includes(field));
  const fields = [...query, ...body].filter(isOffered).map((field) =>
    fieldOption(field, shape[field] as z.ZodType, {
      isInQuery: query.includes(field),
      noun,
      operationId,
    }),
  );
  // The project of a policy is that of the account unless another one is named.
  const own = path.includes('projectId')
    ? [fieldOption('projectId', shape['projectId'] as z.ZodType, { isInQuery: false, noun, operationId })]
    : [];
  return {
    route,
    noun,
    path: path.filter((parameter) => parameter !== 'projectId' || noun === 'projects'),
    fields: [...own, ...fields],
  };
}

function optionsOf({ route, fields }: Shape): Record<string, OptionSpec> {
  const takesTag = route.method !== 'GET' && route.method !== 'POST';
  return {
    ...Object.fromEntries(fields.map(({ option, spec }) => [option, spec])),
    ...(isPaged(route) && {
      limit: { value: 'number', summary: `how many at most; by default ${DEFAULT_LIMIT}` },
    }),
    ...(fields.length > 0 && {
      input: { value: 'file', summary: 'further fields as YAML or JSON; - for the standard input' },
    }),
    ...(takesTag && { 'if-match': { value: 'tag', summary: 'only if this is still the entity tag' } }),
    ...secretOption(route),
    ...validateOnlyOption(route.operationId),
    ...(route.method === 'DELETE' && {
      yes: { summary: 'skip the confirmation; required without a terminal' },
    }),
  };
}

/** The fields of the account that an operation takes: of a token, the project and its secret. */
async function accountFields({ route }: Shape, context: Context): Promise<Input> {
  const names = Object.keys(findProcedure(route.procedure).input.shape);
  if (!ACCOUNT_FIELDS.every((name) => names.includes(name))) return {};
  const { access } = await context.account();
  if ('accessToken' in access) return {};
  const { projectId, projectSecret } = access;
  return { projectId, projectSecret };
}

async function inputOf(shape: Shape, given: Arguments, context: Context): Promise<Input> {
  const file = given.text('input');
  const input: Input = {
    ...(await accountFields(shape, context)),
    ...(file === undefined ? {} : await readInputFile(file, context)),
  };
  for (const { field, read } of shape.fields) {
    const value = await read(given, context);
    if (value !== undefined) input[field] = value;
  }
  for (const parameter of shape.path) input[parameter] = given.required(positionalOf(parameter, shape.noun));
  if (inputFieldsOf(shape.route).path.includes('projectId') && shape.noun !== 'projects')
    input['projectId'] ??= projectOf(await context.account());
  return input;
}

async function runList(shape: Shape, input: Input, { given, client }: { given: Arguments; client: Client }) {
  const most = given.count('limit') ?? DEFAULT_LIMIT;
  const lists = client.items as unknown as Record<string, (input: Input) => AsyncIterable<unknown>>;
  const items: unknown[] = [];
  let isWhole = true;
  for await (const item of lists[shape.route.operationId]?.(input) ?? []) {
    if (items.length === most) {
      isWhole = false;
      break;
    }
    items.push(item);
  }
  return { items, isWhole, most };
}

async function runOperation(shape: Shape, given: Arguments, context: Context): Promise<Outcome> {
  const { route } = shape;
  const input = { ...(await inputOf(shape, given, context)), ...validateOnlyOf(given) };
  const client = await context.client();
  const isConfirmed = given.flag('yes') || isValidateOnly(given);
  if (route.method === 'DELETE' && !isConfirmed) await confirmDeletion(route, input, context);
  if (isListed(route, client)) {
    const { items, isWhole, most } = await runList(shape, input, { given, client });
    if (!isWhole) context.terminal.writeError(`gatehouse: only the first ${most} are shown; see --limit\n`);
    return { json: { items, isWhole }, text: formatAnswer(items) };
  }
  if (route.pages !== undefined) return runStream(route, input, { client, context });
  const operations = client as unknown as Record<string, Operation>;
  const ifMatch = given.text('if-match');
  const answer = await operations[route.operationId]?.(input, ifMatch === undefined ? {} : { ifMatch });
  const secretFile = isValidateOnly(given) ? undefined : given.text('secret-file');
  const shown = await putSecretsAway(answer, secretFile);
  if (isValidateOnly(given)) return validOutcome(shown);
  return { json: shown, text: formatAnswer(shown) };
}

/** The command of one operation. */
function commandOf(route: Route): Command {
  const shape = shapeOf(route);
  const isDeletion = route.method === 'DELETE';
  return {
    name: commandNameOf(route.operationId),
    summary: route.summary,
    isOperation: true,
    positionals: shape.path.map((parameter) => {
      const names = nameKindOf(parameter, shape.noun);
      return { name: positionalOf(parameter, shape.noun), ...(names !== undefined && { names }) };
    }),
    options: optionsOf(shape),
    notes: `${route.method} ${route.path}\n`,
    ...(isDeletion && { deletes: shape.noun.replace(/s$/, '').replaceAll('-', ' ') }),
    run: async (given, context) => runOperation(shape, given, context),
  };
}

/** The operation that a command stands for: two that call the same procedure have one command. */
export function commandOfOperation(operationId: string): string {
  const route = routes.find((known) => known.operationId === operationId);
  const first = routes.find(({ procedure }) => procedure === route?.procedure);
  if (!first) throw usageError(`there is no operation ${operationId}`);
  return commandNameOf(first.operationId);
}

/** A command for each operation of the API that has none of the given names. */
export function createOperationCommands(taken: ReadonlySet<string>): Command[] {
  const isFirst = (route: Route) => routes.find(({ procedure }) => procedure === route.procedure) === route;
  return routes
    .filter((route) => isFirst(route) && !taken.has(commandNameOf(route.operationId)))
    .map(commandOf);
}
