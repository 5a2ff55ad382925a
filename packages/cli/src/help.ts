import { COMMON_OPTIONS } from './arguments.js';
import type { Command, OptionSpec, PositionalSpec } from './command.js';
import { EXIT_CODE_MEANINGS } from './exitCodes.js';
import { formatSection, formatTable } from './layout.js';

const positionalText = ({ name, isOptional = false, isMultiple = false }: PositionalSpec) => {
  const text = isMultiple ? `${name}...` : name;
  return isOptional ? `[${text}]` : `<${text}>`;
};

function optionRow([name, { value, short, choices, summary, isMultiple, isRequired }]: [
  string,
  OptionSpec,
]): string[] {
  const remarks = [
    ...(choices ? [choices.join(', ')] : []),
    ...(isRequired ? ['required'] : []),
    ...(isMultiple ? ['may be repeated'] : []),
  ];
  return [
    `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`,
    remarks.length === 0 ? summary : `${summary} (${remarks.join('; ')})`,
  ];
}

/** Without headings, which help does not need. */
function formatRows(rows: readonly string[][]): string {
  const [first = [], ...others] = rows;
  return formatTable(first, others, first.join('  '));
}

/** The help of one command. */
export function formatCommandHelp({ name, summary, positionals = [], options = {}, notes }: Command): string {
  const usage = ['gatehouse', name, ...positionals.map(positionalText), '[options]'].join(' ');
  const rows = [...Object.entries(options), ...Object.entries(COMMON_OPTIONS)].map(optionRow);
  return [
    usage,
    `\n${summary}.\n`,
    formatSection('Options:', formatRows(rows)),
    ...(notes ? [notes] : []),
  ].join('\n');
}

const commandRows = (commands: readonly Command[]) =>
  formatSection('Commands:', formatRows(commands.map(({ name, summary }) => [name, summary])));

/** The help of the commands that begin with the same word. */
export function formatGroupHelp(group: string, commands: readonly Command[]): string {
  return [
    `gatehouse ${group} <command> [options]\n`,
    commandRows(commands),
    `"gatehouse ${group} <command> --help" shows the options of a command.\n`,
  ].join('\n');
}

/** The nouns of the commands for single operations, with their verbs. */
function operationRows(commands: readonly Command[]): string {
  const verbs = new Map<string, string[]>();
  for (const { name } of commands) {
    const [noun = '', verb = ''] = name.split(' ');
    verbs.set(noun, [...(verbs.get(noun) ?? []), verb]);
  }
  return formatRows([...verbs].map(([noun, all]) => [noun, all.join(', ')]));
}

/** The help of all commands. */
export function formatHelp(all: readonly Command[]): string {
  const commands = all.filter(({ isHidden }) => isHidden !== true);
  const operations = commands.filter(({ isOperation }) => isOperation === true);
  return [
    'gatehouse <command> [options]\n',
    commandRows(commands.filter(({ isOperation }) => isOperation !== true)),
    formatSection('All other operations of the API:', operationRows(operations)),
    formatSection(
      'Exit codes:',
      formatRows(EXIT_CODE_MEANINGS.map(([code, meaning]) => [String(code), meaning])),
    ),
    '"gatehouse <command> --help" shows the options of a command, and "gatehouse --version" the version.\n',
  ].join('\n');
}
