import {
  ASSIGNMENT_ACTOR_FIELD,
  findInexactNumber,
  type Compiled,
  type PolicyActor,
  type Preview,
} from '@gatehouse/contract';
import type { OperationInput } from '@gatehouse/client';
import type { Arguments, Command, Context } from '../command.js';
import { EXIT_CODES } from '../exitCodes.js';
import { usageError } from '../failures.js';
import { inexactNumber, readText } from '../files.js';
import { formatFields, formatSection, formatTable } from '../layout.js';
import { projectOf } from '../project.js';
import { showable, showableLines } from '../terminal.js';

const ACTOR_KINDS = {
  'org-user': 'ORG_USER',
  tenant: 'TENANT',
  'tenant-user': 'TENANT_USER',
  'all-tenants': 'ALL_TENANTS',
} as const;

/** Reads `tenant:t_1` and so on. */
function actorOf(text: string): PolicyActor {
  const [word = '', ...rest] = text.split(':');
  const id = rest.join(':');
  const entry = Object.entries(ACTOR_KINDS).find(([name]) => name === word);
  const kind = entry?.[1];
  const field = kind === undefined ? undefined : ASSIGNMENT_ACTOR_FIELD[kind];
  if (kind === undefined || (field === null) !== (id === ''))
    throw usageError(`--actor is org-user:<id>, tenant:<id>, tenant-user:<id> or all-tenants, not ${text}`);
  return { kind, ...(typeof field === 'string' && { [field]: id }) } as PolicyActor;
}

/** A value as JSON if it is valid JSON, and otherwise as text. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @throws a usage error for a number that parsing would round */
function exactValueOf(name: string, text: string): unknown {
  const value = valueOf(text);
  const inexact = typeof value === 'string' ? null : findInexactNumber(text);
  if (inexact !== null) throw inexactNumber(`--param ${name}`, inexact);
  return value;
}

function paramsOf(given: Arguments) {
  const params = given.texts('param').map((text) => {
    const place = text.indexOf('=');
    if (place < 1) throw usageError(`--param is <name>=<value>, not ${text}`);
    const name = text.slice(0, place);
    return [name, exactValueOf(name, text.slice(place + 1))] as const;
  });
  type Params = OperationInput<'previewPolicies'>['runtimeParams'];
  return params.length === 0 ? undefined : (Object.fromEntries(params) as Params);
}

async function sqlOf(given: Arguments, context: Context): Promise<string | undefined> {
  const file = given.text('sql-file');
  if (file === undefined) return given.text('sql');
  if (given.text('sql') !== undefined) throw usageError('--sql and --sql-file exclude each other');
  return readText(file, context);
}

function afterText({ status, sql, inlineSql, reasons }: Compiled, isInline: boolean): string {
  if (sql !== null) return `${showableLines((isInline ? inlineSql : null) ?? sql)}\n`;
  const lines = reasons.map(
    ({ code, message, rule }) => `${code}: ${message}${rule ? ` (rule ${rule})` : ''}`,
  );
  return `${[`no statement: ${status}`, ...lines].map(showable).join('\n')}\n`;
}

function formatPreview(preview: Preview, before: string | undefined, isInline: boolean): string {
  const { actor, connection, assignments, sls, compiled } = preview;
  const about = formatFields({
    actor: [actor.kind, actor.id, actor.name].filter((part) => part !== null).join(' '),
    connection: `${connection.id} ${connection.name}`,
    assignments: assignments
      .map(({ id, definitionName, source }) => `${definitionName ?? '-'} (${id ?? source})`)
      .join(', '),
    schema: sls?.schema,
    status: compiled.status,
  });
  const conditions = compiled.conditions.map(({ schema, table, alias, expression, rules }) => [
    schema === null ? table : `${schema}.${table}`,
    alias,
    expression,
    rules.join(', '),
  ]);
  const parameters = compiled.parameters.map((value, index) => [`$${index + 1}`, JSON.stringify(value)]);
  return [
    about,
    ...(before === undefined
      ? []
      : [
          formatSection('Before:', `${showableLines(before.trim())}\n`),
          formatSection('After:', afterText(compiled, isInline)),
        ]),
    ...(parameters.length === 0 || isInline ? [] : [formatTable(['PARAMETER', 'VALUE'], parameters)]),
    formatTable(['TABLE', 'ALIAS', 'CONDITION', 'RULES'], conditions, 'No table is restricted.'),
  ].join('\n');
}

/** Shows the effect of the policies on a statement. */
export const previewCommand: Command = {
  name: 'preview',
  summary: 'Show a statement before and after the policies of an actor are applied',
  options: {
    connection: {
      value: 'id',
      names: 'connection',
      summary: 'the connection that it is for',
      isRequired: true,
    },
    actor: {
      value: 'actor',
      summary: 'the actor: org-user:<id>, tenant:<id>, tenant-user:<id> or all-tenants',
      isRequired: true,
    },
    sql: { value: 'statement', summary: 'the statement' },
    'sql-file': { value: 'file', summary: 'a file with it; - for the standard input' },
    param: { value: 'name=value', summary: 'the value of a placeholder, as JSON or text', isMultiple: true },
    assignment: { value: 'id', summary: 'with this assignment as well' },
    inline: { summary: 'show the values in the statement, not beside it' },
  },
  notes: 'The statement is not run. Exit code 1: it is denied or invalid.\n',
  async run(given, context) {
    const sql = await sqlOf(given, context);
    const actor = actorOf(given.text('actor') ?? '');
    const client = await context.client();
    const { data } = await client.previewPolicies({
      projectId: projectOf(await context.account()),
      connectionId: given.text('connection') ?? '',
      actor,
      sql,
      runtimeParams: paramsOf(given),
      assignmentId: given.text('assignment'),
    });
    const isRefused = data.compiled.status === 'denied' || data.compiled.status === 'invalid_sql';
    return {
      json: data,
      text: formatPreview(data, sql, given.flag('inline')),
      ...(isRefused && { exitCode: EXIT_CODES.foundFaults }),
    };
  },
};
