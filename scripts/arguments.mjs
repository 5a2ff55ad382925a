/**
 * The arguments of this program, none of which is an option. Otherwise, it prints the usage and exits: with 0
 * for `--help`, with 2 for too many arguments or an unknown option.
 * @param {string} usage
 * @param {number} most
 * @returns {string[]}
 */
export function readArguments(usage, most) {
  const given = process.argv.slice(2);
  if (given.length <= most && !given.some((each) => each.startsWith('-'))) return given;
  const isHelp = given.includes('--help') || given.includes('-h');
  (isHelp ? process.stdout : process.stderr).write(`Usage: ${usage}\n`);
  process.exit(isHelp ? 0 : 2);
}
