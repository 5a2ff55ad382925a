import { by, type Prepare, type Refusal, type Refusals } from './statusCase.js';

const read: Prepare = ({ admin, api }) => ({ session: admin, query: { projectId: api.project.projectId } });
const asking =
  (query: Record<string, string>): Prepare =>
  ({ admin }) => ({ session: admin, query });

export const auditEventSpecimens = {
  listAuditEvents: read,
  exportAuditEvents: read,
};

const CALLERS = ['author', 'orgViewer', 'powerUser', 'service'] as const;
const ofBoth: readonly Refusal[] = [
  ...CALLERS.map((who): Refusal => ['FORBIDDEN', `${who} is no ADMIN`, by(who, read)]),
  ['INVALID_REQUEST', 'a type that is none', asking({ type: 'dashboard.*' }), 'type'],
  ['INVALID_REQUEST', 'an outcome that there is not', asking({ outcome: 'failed' }), 'outcome'],
  ['INVALID_REQUEST', 'a time that is none', asking({ from: 'yesterday' }), 'from'],
  [
    'INVALID_REQUEST',
    'a time that ends before it begins',
    asking({ from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }),
    'to',
  ],
];

export const auditEventRefusals: Refusals = {
  listAuditEvents: [
    ...ofBoth,
    ['INVALID_REQUEST', 'a cursor of another list', asking({ cursor: 'WzFd' }), 'cursor'],
    ['INVALID_REQUEST', 'too large a page', asking({ limit: '501' }), 'limit'],
  ],
  exportAuditEvents: [
    ...ofBoth,
    [
      'INVALID_REQUEST',
      'a cursor, which is the business of the gateway alone',
      asking({ cursor: 'WzFd' }),
      'cursor',
    ],
  ],
};
