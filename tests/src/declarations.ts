import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A field or a method of an exported type. */
export interface Member {
  /** The type that has it. */
  owner: string;
  name: string;
  hasComment: boolean;
}

const EXPORT = /^export (type )?(?:\* from|\{ (.*) \} from) '\.\/(.*)\.js';$/gm;
const DECLARATION = /^(?:export )?(?:declare )?(?:interface|type|class|const|function) (\w+)/;
const MEMBER = /^ +(?:readonly )?(\w+)\??: /;

/** The members of all types that the declarations of a package export from its index. */
export async function membersOf(folder: string): Promise<Member[]> {
  const index = await readFile(join(folder, 'index.d.ts'), 'utf8');
  const exported = new Map<string, Set<string> | 'all'>();
  for (const [, , names, file = ''] of index.matchAll(EXPORT)) {
    const known = exported.get(file) ?? new Set();
    if (names === undefined || known === 'all') exported.set(file, 'all');
    else exported.set(file, new Set([...known, ...names.split(', ')]));
  }
  const read = [...exported].map(async ([file, names]) => {
    const members = readMembers(await readFile(join(folder, `${file}.d.ts`), 'utf8'));
    return names === 'all' ? members : members.filter(({ owner }) => names.has(owner));
  });
  return (await Promise.all(read)).flat();
}

function readMembers(text: string): Member[] {
  const members: Member[] = [];
  let owner = '';
  let before = '';
  for (const line of text.split('\n')) {
    owner = DECLARATION.exec(line)?.[1] ?? owner;
    const name = MEMBER.exec(line)?.[1];
    if (name !== undefined) members.push({ owner, name, hasComment: before.endsWith('*/') });
    before = line;
  }
  return members;
}
