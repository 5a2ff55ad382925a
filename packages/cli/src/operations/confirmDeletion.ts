import type { Route } from '@gatehouse/contract';
import type { Context } from '../command.js';
import { usageError } from '../failures.js';
import { showable } from '../terminal.js';

/** @throws CommandError unless the user confirms what is to be deleted on which server */
export async function confirmDeletion(
  { summary }: Route,
  input: Readonly<Record<string, unknown>>,
  { account, terminal }: Context,
): Promise<void> {
  const { baseUrl, profile } = await account();
  const place = profile === null ? baseUrl : `${baseUrl} (profile ${profile.name})`;
  const names = Object.values(input).map((value) =>
    typeof value === 'string' ? value : JSON.stringify(value),
  );
  const answer = await terminal.ask(`${summary}: ${showable(names.join(', '))} on ${place}? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw usageError('Not confirmed: nothing was deleted');
}
