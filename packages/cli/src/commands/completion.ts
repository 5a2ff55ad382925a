import { COMMON_OPTIONS } from '../arguments.js';
import type { Command } from '../command.js';
import { usageError } from '../failures.js';

/** The scripts call the program for the words, so that they never grow old. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_gatehouse() {
  local IFS=$'\\n'
  COMPREPLY=($(gatehouse complete-words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _gatehouse gatehouse
`,
  zsh: `#compdef gatehouse
_gatehouse() {
  local -a candidates
  candidates=("\${(@f)$(gatehouse complete-words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -- $candidates
}
compdef _gatehouse gatehouse
`,
  fish: `function __gatehouse_complete
  set -l words (commandline -opc) (commandline -ct)
  gatehouse complete-words -- $words[2..-1] 2>/dev/null
end
complete -c gatehouse -a '(__gatehouse_complete)'
`,
};

const isOption = (word: string) => word.startsWith('-');

function optionWords({ options = {} }: Command): string[] {
  return [...Object.keys(options), ...Object.keys(COMMON_OPTIONS)].map((name) => `--${name}`);
}

/** The words that may stand in place of the last one. */
function completeWords(commands: readonly Command[], words: readonly string[]): string[] {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1).filter((word) => !isOption(word));
  const shown = commands.filter(({ isHidden }) => isHidden !== true);
  const command =
    shown.find(({ name }) => name === before.slice(0, 2).join(' ')) ??
    shown.find(({ name }) => name === before[0]);
  const found = command ? candidatesOf(command, words) : nextWords(shown, before);
  return [...new Set(found)].filter((word) => word.startsWith(current)).toSorted();
}

function candidatesOf(command: Command, words: readonly string[]): string[] {
  const before = words.at(-2) ?? '';
  const options = Object.entries({ ...command.options, ...COMMON_OPTIONS });
  const option = options.find(([name, { short }]) => before === `--${name}` || before === `-${short}`);
  if (option?.[1].value === undefined) return optionWords(command);
  // Only the program that runs the command knows other values.
  return [...(option[1].choices ?? [])];
}

function nextWords(commands: readonly Command[], before: readonly string[]): string[] {
  if (before.length > 1) return [];
  const [group] = before;
  return commands.flatMap(({ name }) => {
    const [first = '', second] = name.split(' ');
    if (group === undefined) return [first];
    return first === group && second !== undefined ? [second] : [];
  });
}

/** The commands for shells, which need the table of all commands. */
export function createCompletionCommands(all: () => readonly Command[]): Command[] {
  return [
    {
      name: 'completion',
      summary: 'Print the script that completes words in a shell',
      positionals: [{ name: 'shell' }],
      notes: 'The shell is bash, zsh or fish: source <(gatehouse completion bash)\n',
      async run(given) {
        const shell = given.required('shell');
        const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
        if (script === undefined) throw usageError(`the shell is bash, zsh or fish, not ${shell}`);
        return { json: { shell, script }, text: script };
      },
    },
    {
      name: 'complete-words',
      summary: 'Print the words that may follow, for the scripts of "gatehouse completion"',
      isHidden: true,
      positionals: [{ name: 'words', isOptional: true, isMultiple: true }],
      async run(given) {
        const words = completeWords(all(), given.positionals());
        return { json: words, text: words.map((word) => `${word}\n`).join('') };
      },
    },
  ];
}
