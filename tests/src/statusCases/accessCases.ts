import { createResource, DASHBOARDS } from '../resourceKinds.js';
import { by, withBody, type Prepare, type Refusals } from './statusCase.js';

const CHECKS_MAX = 1000;

const checked: Prepare = async (world) => {
  const { id: resourceId } = await createResource(DASHBOARDS, world.author.session);
  const check = { resourceType: 'dashboard', resourceId, level: 'VIEWER' };
  const checks = [check, { ...check, userId: world.orgViewer.id }, { ...check, userId: 'ou_none' }];
  return { session: world.author.session, body: { checks, reasons: true } };
};
const listed: Prepare = ({ author }) => ({ session: author.session, body: { resourceType: 'dashboard' } });
const subjects: Prepare = async ({ author }) => {
  const { id: resourceId } = await createResource(DASHBOARDS, author.session);
  return { session: author.session, body: { resourceType: 'dashboard', resourceId } };
};

const check = { resourceType: 'dashboard', resourceId: 'd_none', level: 'VIEWER' };
const withChecks = (checks: readonly object[]): Prepare => withBody(checked, () => ({ checks }));

export const accessSpecimens = { checkAccess: checked, listAccess: listed, listAccessSubjects: subjects };

export const accessRefusals: Refusals = {
  checkAccess: [
    ['INVALID_REQUEST', 'no question', withChecks([]), 'checks'],
    [
      'INVALID_REQUEST',
      'too many questions',
      withChecks(Array.from({ length: CHECKS_MAX + 1 }, () => check)),
      'checks',
    ],
    ['INVALID_REQUEST', 'no level of that name', withChecks([{ ...check, level: 'ALL' }]), 'checks[0].level'],
    ['FORBIDDEN', 'a caller without a role', by('service', checked)],
  ],
  listAccess: [
    [
      'NOT_FOUND',
      'a user who does not exist',
      withBody(listed, () => ({ resourceType: 'visual', userId: 'ou_none' })),
    ],
    [
      'NOT_FOUND',
      'an org user, requested by a tenant user',
      ({ powerUser, author }) => ({
        session: powerUser.session,
        body: { resourceType: 'visual', userId: author.id },
      }),
    ],
    [
      'NOT_FOUND',
      'a user of another tenant',
      ({ powerUser, otherPowerUser }) => ({
        session: powerUser.session,
        body: { resourceType: 'visual', userId: otherPowerUser.id },
      }),
    ],
    ['FORBIDDEN', 'a caller without a role', by('service', listed)],
  ],
  listAccessSubjects: [
    [
      'NOT_FOUND',
      'what the caller may not see',
      ({ author, hidden }) => ({
        session: author.session,
        body: { resourceType: 'dashboard', resourceId: hidden.dashboard },
      }),
    ],
    [
      'NOT_FOUND',
      'a dashboard as a visual',
      async (world) => {
        const { session, body } = await subjects(world);
        return { ...(session && { session }), body: { ...body, resourceType: 'visual' } };
      },
    ],
    ['FORBIDDEN', 'a caller without a role', by('service', subjects)],
  ],
};
