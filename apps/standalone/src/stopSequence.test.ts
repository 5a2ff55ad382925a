import { describe, expect, it } from 'vitest';
import { createStopSequence } from './stopSequence.js';

describe('a stop sequence', () => {
  it('stops in reverse order, each part once, and continues after a failure', async () => {
    const stopped: string[] = [];
    const stops = createStopSequence();
    stops.add(async () => void stopped.push('first'));
    stops.add(async () => {
      throw new Error('the second fails');
    });
    stops.add(async () => void stopped.push('third'));
    await expect(Promise.all([stops.run(), stops.run()])).rejects.toThrow('the second fails');
    expect(stopped).toEqual(['third', 'first']);
  });

  it('stops the remaining parts after one that hangs, within the limit', async () => {
    const stopped: string[] = [];
    const stops = createStopSequence(100);
    stops.add(async (timeoutMs) => void stopped.push(`first, ${Math.floor(timeoutMs / 10)}`));
    stops.add(() => new Promise(() => {}));
    await Promise.all([stops.run(), new Promise((resolve) => setTimeout(resolve, 200))]);
    expect(stopped).toEqual(['first, 0']);
  });
});
