import type { AccessGrant } from '@gatehouse/contract';
import type { Command } from '../command.js';
import { usageError } from '../failures.js';
import { formatTable, type Cell } from '../layout.js';
import { showable } from '../terminal.js';

const rowOf = ({ wins, level, path, scope, shareId, groupId, dashboardId }: AccessGrant): Cell[] => [
  wins ? '*' : '',
  level,
  path,
  scope,
  groupId ?? dashboardId ?? shareId,
];

/** Explains the access of a user. */
export const explainCommand: Command = {
  name: 'explain',
  summary: 'Explain the access of a user to a dashboard or a visual',
  positionals: [{ name: 'dashboard', names: (given) => (given.flag('visual') ? 'visual' : 'dashboard') }],
  options: {
    user: { value: 'id', names: 'person', summary: 'of this user; by default your own' },
    at: { value: 'time', summary: 'at this moment in the past, as 2030-01-31T12:00:00Z' },
    visual: { summary: 'the argument is a visual' },
  },
  async run(given, context) {
    const id = given.required('dashboard');
    if (id === '') throw usageError('<dashboard> is missing');
    const input = { id, userId: given.text('user'), at: given.text('at') };
    const client = await context.client();
    const answer = given.flag('visual')
      ? await client.explainVisualAccess(input)
      : await client.explainDashboardAccess(input);
    const { access } = answer;
    const level = access.accessLevel ?? 'no access';
    const head = `${showable(access.userId)}: ${level} to ${showable(id)} (role ${access.role}, ceiling ${access.ceiling})\n`;
    const table = formatTable(
      ['WINS', 'LEVEL', 'BY', 'SCOPE', 'THROUGH'],
      access.grants.map(rowOf),
      'Nothing grants any.',
    );
    return { json: answer, text: `${head}\n${table}` };
  },
};
