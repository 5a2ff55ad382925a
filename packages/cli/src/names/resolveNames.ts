import type { Arguments, Command, Context, Names } from '../command.js';
import { projectOf } from '../project.js';
import { findByName } from './findByName.js';
import { isId } from './nameKinds.js';

/** The ids of the records that the arguments name, by the arguments. */
type Ids = Map<string, string>;

/**
 * Replaces the names of records in arguments by their ids. Arguments in the form of an id cause no request.
 *
 * @throws CommandError for an ambiguous name
 */
export async function resolveNames(
  { positionals = [], options = {} }: Command,
  given: Arguments,
  context: Context,
): Promise<Arguments> {
  const ids: Record<string, Ids> = {};
  const resolve = async (name: string, names: Names | undefined, texts: readonly string[]) => {
    if (names === undefined) return;
    const kind = typeof names === 'function' ? names(given) : names;
    for (const text of texts) {
      if (isId(kind, text)) continue;
      const projectId = projectOf(await context.account());
      const id = await findByName(await context.client(), { kind, text, projectId });
      (ids[name] ??= new Map()).set(text, id);
    }
  };
  for (const { name, names } of positionals)
    await resolve(`<${name}>`, names, given.positional(name) === undefined ? [] : [given.required(name)]);
  for (const [name, { names }] of Object.entries(options)) await resolve(name, names, given.texts(name));
  const idOf = (name: string, text: string) => ids[name]?.get(text) ?? text;
  return {
    ...given,
    positional: (name) => {
      const text = given.positional(name);
      return text === undefined ? undefined : idOf(`<${name}>`, text);
    },
    required: (name) => idOf(`<${name}>`, given.required(name)),
    text: (name) => {
      const text = given.text(name);
      return text === undefined ? undefined : idOf(name, text);
    },
    texts: (name) => given.texts(name).map((text) => idOf(name, text)),
  };
}
