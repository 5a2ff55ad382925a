import { describe, expect, it } from 'vitest';
import { DeliveryLanes } from './lanes.js';
import { LeaseWatch } from './leases.js';

const place = (organizationId: string, host: string) => ({ organizationId, webhookId: 'wh_1', host });

describe('DeliveryLanes', () => {
  const enterAll = (lanes: DeliveryLanes, places: ReturnType<typeof place>[]) =>
    places.filter((each) => lanes.enter(each)).length;

  it('allows four attempts of one organization to one host', () => {
    const lanes = new DeliveryLanes(32);
    const places = Array.from({ length: 10 }, () => place('o_1', 'a.example'));
    expect(enterAll(lanes, places)).toBe(4);
    expect(lanes.isServing('wh_1')).toBe(true);
    lanes.leave(place('o_1', 'a.example'));
    expect(enterAll(lanes, places)).toBe(1);
    for (const each of places.slice(0, 4)) lanes.leave(each);
    expect(lanes.isServing('wh_1')).toBe(false);
    expect(lanes.isServingOrganization('o_1')).toBe(false);
  });

  it('has a separate share of a host for each organization', () => {
    const lanes = new DeliveryLanes(32);
    enterAll(
      lanes,
      Array.from({ length: 10 }, () => place('o_slow', 'hooks.example')),
    );
    expect(lanes.enter(place('o_other', 'hooks.example'))).toBe(true);
  });

  it('allows one organization half of the lanes, and all of them the total', () => {
    const lanes = new DeliveryLanes(10);
    const ofOne = Array.from({ length: 10 }, (_, index) => place('o_1', `${index}.example`));
    expect(enterAll(lanes, ofOne)).toBe(5);
    expect(lanes.isFull).toBe(false);
    const ofOthers = Array.from({ length: 10 }, (_, index) => place(`o_${index + 2}`, `x${index}.example`));
    expect(enterAll(lanes, ofOthers)).toBe(5);
    expect(lanes.isFull).toBe(true);
  });
});

describe('LeaseWatch', () => {
  const lease = (leaseId: string) => ({ leaseId });

  it('reports a lease that has stood long enough, and not before', () => {
    const watch = new LeaseWatch(1000);
    const leases = [lease('a'), lease('b')];
    expect(watch.findAbandoned(leases, 0)).toEqual([]);
    expect(watch.findAbandoned([lease('b'), lease('c')], 999)).toEqual([]);
    expect(watch.findAbandoned([lease('b'), lease('c')], 1000)).toEqual([lease('b')]);
  });

  it('restarts with a lease that was absent in between', () => {
    const watch = new LeaseWatch(1000);
    watch.findAbandoned([lease('a')], 0);
    watch.findAbandoned([], 500);
    expect(watch.findAbandoned([lease('a')], 1200)).toEqual([]);
  });
});
