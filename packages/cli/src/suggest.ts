import { closestMatch } from 'leven';
import type { Command } from './command.js';

/** The most edits between a word and its suggestion; a suggestion that is farther away confuses. */
function maxDistanceOf({ length }: string): number {
  if (length <= 3) return 1;
  return length <= 8 ? 2 : 3;
}

/** The nearest of the words; undefined if none is near. */
export function suggestWord(word: string, known: readonly string[]): string | undefined {
  return closestMatch(word, known, { maxDistance: maxDistanceOf(word) });
}

/** The command or the group of commands that was probably meant; undefined if none is near. */
export function suggestCommand(
  commands: readonly Command[],
  [first = '', second = '']: readonly string[],
): string | undefined {
  const names = commands.map(({ name }) => name.split(' '));
  const group = suggestWord(first, [...new Set(names.map(([word = '']) => word))]);
  if (group === undefined) return undefined;
  const verbs = names.flatMap(([word, verb]) => (word === group && verb !== undefined ? [verb] : []));
  const verb = suggestWord(second, verbs);
  if (verb !== undefined) return `${group} ${verb}`;
  // A correct first word is no suggestion.
  return group === first ? undefined : group;
}
