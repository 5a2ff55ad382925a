import { describe, expect, it } from 'vitest';
import { ByteBudget } from './byteBudget.js';
import { memberOf } from './caller.js';

describe('held bytes', () => {
  it('do not reject an organization because another one holds more than the total', () => {
    const budget = new ByteBudget({ total: 100, perShare: 80, perAddress: 20 });
    const [greedy, other] = [memberOf('o_greedy'), memberOf('o_other')];
    // Responses are counted when they are sent: many may have passed the check before.
    budget.take(greedy, 150);
    expect(budget.refusalOf(greedy)?.code).toBe('RATE_LIMITED');
    expect(budget.refusalOf(other)).toBeNull();
    budget.take(other, 10);
    expect(budget.refusalOf(other)?.code).toBe('UNAVAILABLE');
    budget.give(greedy, 150);
    expect(budget.refusalOf(other)).toBeNull();
    expect(budget.held).toBe(10);
  });
});
