import type { Random } from './random.js';
import type { WorldDialect } from './randomWorld.js';

const GAPS = [
  ' ',
  ' ',
  '\n',
  '\t',
  '\r\n',
  ' \n ',
  '/**/',
  "/* ; ' ` */",
  '/*\n--\n*/',
  ' -- \' " ` /* \n',
  ' --\n',
];
const OWN_GAPS: Readonly<Record<WorldDialect, readonly string[]>> = {
  mysql: ["# ' ; /*\n", '#\n'],
  sqlite: [" --' ]\n", '/*/ ; */'],
};
/** A string or comment, a quoted name, a word in capitals, or a space. */
const PARTS = /('(?:[^'\\]|''|\\.)*'|\/\*.*?\*\/)|`((?:[^`]|``)*)`|\b([A-Z]{2,})\b| /g;

/** The same statement in another spelling: white space, comments, quotes of names, and case of keywords. */
export function disguise(sql: string, random: Random, dialect: WorldDialect): string {
  const gaps = [...GAPS, ...OWN_GAPS[dialect]];
  return sql.replaceAll(PARTS, (part: string, kept?: string, name?: string, word?: string) => {
    if (kept !== undefined) return part;
    if (word !== undefined) return random.isLucky(0.5) ? word.toLowerCase() : word;
    if (name === undefined) return random.pick(gaps);
    const isPlain = dialect === 'sqlite' && !/["\]`]/.test(name);
    return isPlain ? random.pick([part, `"${name}"`, `[${name}]`]) : part;
  });
}
