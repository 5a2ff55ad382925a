import { describe, expect, it } from 'vitest';
import { DeliveryLanes } from './deliveryLanes.js';
import { LeaseWatch } from './deliveryLeases.js';

const place = (organizationId: string, host: string) => ({ organizationId, webhookId: 'wh_1', host });

describe('DeliveryLanes', () => {
  const enterAll = (lanes: DeliveryLanes, places: ReturnType<typeof place>[]) =>
    places.filter((each) => lanes.enter(each)).length;

  it('lets four go to one host, whoever sends', () => {
    const lanes = new DeliveryLanes(32);
    const places = Array.from({ length: 10 }, (_, index) => place(`o_${index}`, 'a.example'));
    expect(enterAll(lanes, places)).toBe(4);
    expect(lanes.isServing('wh_1')).toBe(true);
    lanes.leave(place('o_0', 'a.example'));
    expect(enterAll(lanes, places)).toBe(1);
    for (const { organizationId } of [places[0], ...places.slice(1, 4)].flatMap((each) => each ?? []))
      lanes.leave(place(organizationId, 'a.example'));
    expect(lanes.isServing('wh_1')).toBe(false);
  });

  it('gives one organization half of all, and all of them no more than there are', () => {
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

  it('gives up on a lease that it has seen for long enough, and not before', () => {
    const watch = new LeaseWatch(1000);
    const leases = [lease('a'), lease('b')];
    expect(watch.findAbandoned(leases, 0)).toEqual([]);
    expect(watch.findAbandoned([lease('b'), lease('c')], 999)).toEqual([]);
    expect(watch.findAbandoned([lease('b'), lease('c')], 1000)).toEqual([lease('b')]);
  });

  it('begins anew with a lease that was gone in between', () => {
    const watch = new LeaseWatch(1000);
    watch.findAbandoned([lease('a')], 0);
    watch.findAbandoned([], 500);
    expect(watch.findAbandoned([lease('a')], 1200)).toEqual([]);
  });
});
