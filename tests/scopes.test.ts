import { afterAll, beforeAll, describe } from 'vitest';
import { startObserved, type ObservedServer } from './src/observedServer.js';
import {
  describeAudience,
  describeLinks,
  describeProjects,
  describeShares,
  describeSweep,
} from './src/scopeCases/lifetimes.js';
import { describeReach } from './src/scopeCases/reach.js';
import { describeAuthority, describeFaultyEntries } from './src/scopeCases/refusals.js';
import { makeScopeWorld, type ScopeWorld } from './src/scopeWorld.js';
import { forms } from './src/servers.js';

describe.each(forms)('sharing ($form)', ({ form, start }) => {
  let observed: ObservedServer;
  let world: ScopeWorld;

  beforeAll(async () => {
    observed = await startObserved(start);
    world = await makeScopeWorld(observed.api);
  });
  afterAll(() => observed[Symbol.asyncDispose]());
  const find = () => ({ observed, world });

  describe('rejects, without writing,', () => {
    describeFaultyEntries(find);
  });
  describe('is bounded:', () => {
    describeAuthority(find);
  });
  describe('reaches:', () => {
    describeReach(form, () => world);
  });
  describe('a share', () => {
    describeShares(find);
  });
  describe('the home audience', () => {
    describeAudience(find);
  });
  describe('access to a linked visual', () => {
    describeLinks(find);
  });
  describe('projects are apart:', () => {
    describeProjects(find);
  });
  // Last, because the platform is restarted.
  describe('the sweep', () => {
    describeSweep(find);
  });
});
