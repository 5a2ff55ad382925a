import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareRecords } from '../diff/compareRecords.js';
import type { ActualRecord, ConfigurationRecord } from '../model/records.js';
import { requireCurrent, type SavedPlan } from '../planFile.js';
import { orderCreations } from './orderCreations.js';
import { planSteps } from './planSteps.js';

const user = (key: string, role = 'AUTHOR', isActive = true): ConfigurationRecord => {
  return { kind: 'orgUser', key, fields: { email: key, name: key, role, department: '', isActive } };
};
const dashboard = (key: string, owner: string, links: readonly string[] = []): ConfigurationRecord => ({
  kind: 'dashboard',
  key,
  fields: {
    title: key,
    owner,
    shares: [],
    template: { links: links.map((link) => `\${dashboard:${link}}`) },
  },
});
const actualOf = (records: readonly ConfigurationRecord[]): ActualRecord[] =>
  records.map((record) => ({ ...record, id: `id of ${record.key}`, version: 1 }));

function plan(desired: ConfigurationRecord[], actual: ActualRecord[], raisesOwners = false) {
  const { changes } = compareRecords(desired, actual, { isPruned: true, callerId: 'id of admin' });
  return { changes, ...planSteps(changes, { desired, actual, raisesOwners }) };
}

describe('the order of steps', () => {
  it('creates each dashboard once, and what it links before it or its content later', () => {
    const graphs = fc.array(fc.array(fc.nat(5), { maxLength: 3 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(graphs, (graph) => {
        const records = graph.map((links, index) =>
          dashboard(
            `d${index}`,
            'ann',
            links.filter((link) => link < graph.length).map((link) => `d${link}`),
          ),
        );
        const ordered = orderCreations(records);
        expect(ordered.map(({ record }) => record.key).toSorted()).toEqual(records.map(({ key }) => key));
        const done = new Set<string>();
        for (const { record, later } of ordered) {
          const links = JSON.stringify(record.fields['template']).matchAll(/dashboard:(\w+)/g);
          const isReady = [...links].every(([, key = '']) => done.has(key));
          expect(isReady || 'template' in later).toBe(true);
          done.add(record.key);
        }
      }),
    );
  });

  it('gives a new owner its lower role at the end', () => {
    const { steps, problems } = plan([user('ann', 'VIEWER', false), dashboard('Sales', 'ann')], []);
    expect(problems).toEqual([]);
    expect(steps.map(({ action, kind }) => `${action} ${kind}`)).toEqual([
      'create orgUser',
      'create dashboard',
      'update orgUser',
    ]);
    expect(steps[0]).toMatchObject({ fields: { role: 'AUTHOR', isActive: true } });
    expect(steps.at(-1)).toMatchObject({ fields: { role: 'VIEWER', isActive: false } });
  });

  it('raises an existing owner only if that is requested', () => {
    const ann = user('ann', 'VIEWER');
    const desired = [ann, dashboard('Sales', 'ann')];
    expect(plan(desired, actualOf([ann])).problems).toEqual([expect.stringContaining('--raise-owners')]);
    const raised = plan(desired, actualOf([ann]), true);
    expect(raised.problems).toEqual([]);
    expect(raised.steps.map(({ action, kind }) => `${action} ${kind}`)).toEqual([
      'update orgUser',
      'create dashboard',
      'update orgUser',
    ]);
  });

  it('raises no owner that a run after an interruption could not restore', () => {
    const ann = user('ann', 'VIEWER', false);
    const desired = [dashboard('Sales', 'ann', ['Sales'])];
    const actual = actualOf([ann, dashboard('Sales', 'ann')]);
    const { changes } = compareRecords(desired, actual, { isPruned: false, callerId: 'id of admin' });
    const { problems, steps } = planSteps(changes, { desired, actual, raisesOwners: true });
    expect(problems).toEqual([expect.stringContaining('ann has no file')]);
    expect(steps.filter(({ kind }) => kind === 'orgUser')).toEqual([]);
  });

  it('changes a dashboard of an owner who may not do so as the caller, or after a raise', () => {
    const ann = user('ann', 'VIEWER');
    const desired = [ann, dashboard('Sales', 'ann', ['Sales'])];
    const actual = actualOf([ann, dashboard('Sales', 'ann')]);
    expect(plan(desired, actual).problems).toEqual([expect.stringContaining('to update it')]);
    expect(plan(desired, actual, true)).toMatchObject({
      problems: [],
      steps: [{}, { kind: 'dashboard' }, {}],
    });
    const own = actual.map((record) => ({ ...record, isCallersOwn: true }));
    expect(plan(desired, own)).toMatchObject({ problems: [], steps: [{ kind: 'dashboard' }] });
  });

  it('lowers the role of an owner after its dashboards are there, and raises it before', () => {
    const lowered = plan(
      [user('ann', 'VIEWER'), dashboard('Sales', 'ann')],
      actualOf([user('ann', 'AUTHOR')]),
    );
    expect(lowered.steps.map(({ kind }) => kind)).toEqual(['dashboard', 'orgUser']);
    const raised = plan(
      [user('ann', 'AUTHOR'), dashboard('Sales', 'ann')],
      actualOf([user('ann', 'VIEWER')]),
    );
    expect([raised.problems, raised.steps.map(({ kind }) => kind)]).toEqual([[], ['orgUser', 'dashboard']]);
  });

  it('never deletes the caller', () => {
    const { steps } = plan([], actualOf([user('admin', 'ADMIN'), user('ann')]));
    expect(steps).toEqual([{ action: 'delete', kind: 'orgUser', key: 'ann' }]);
  });
});

describe('a saved plan', () => {
  const desired = [user('ann', 'VIEWER'), dashboard('Sales', 'ann', ['Sales'])];
  const { changes } = plan(desired, []);
  const saved: SavedPlan = {
    projectId: 'p',
    isPruned: false,
    raisesOwners: false,
    desired: desired.map((record) => ({ ...record, file: 'a.yaml' })),
    changes,
  };
  const check = (actual: readonly ConfigurationRecord[]) =>
    requireCurrent(saved, plan(desired, actualOf(actual)).changes);

  it('applies to what its own interruption has left', () => {
    const unfinished = {
      ...dashboard('Sales', 'ann'),
      fields: { ...dashboard('Sales', 'ann').fields, template: null },
    };
    for (const state of [[], [user('ann', 'AUTHOR')], [user('ann', 'AUTHOR'), unfinished], desired])
      expect(() => check(state)).not.toThrow();
  });

  it.each([
    ['a new record', [dashboard('Other', 'ann')]],
    [
      'a changed field',
      [{ ...user('ann', 'VIEWER'), fields: { ...user('ann', 'VIEWER').fields, name: 'x' } }],
    ],
    ['other content', [user('ann', 'VIEWER'), dashboard('Sales', 'ann', ['Other'])]],
  ])('is stale after %s', (_, state) => {
    expect(() => check(state)).toThrow('The plan is stale');
  });
});
