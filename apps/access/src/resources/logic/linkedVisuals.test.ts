import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linkedVisualIds } from './linkedVisuals.js';

describe('linkedVisualIds', () => {
  it('returns the visuals of every frame of every sheet, each once', () => {
    const template = {
      sheets: [
        { id: 's1', frames: [{ visualId: 'v_1' }, { cards: [] }, { visualId: 'v_2' }] },
        { id: 's2', frames: [{ visualId: 'v_1' }, { visualId: 'v_3' }] },
      ],
    };
    expect(linkedVisualIds(template)).toEqual(['v_1', 'v_2', 'v_3']);
  });

  it.each([
    ['no template', null],
    ['a template that is not an object', 'sheets'],
    ['no sheets', {}],
    ['sheets that are not a list', { sheets: { 0: { frames: [{ visualId: 'v_1' }] } } }],
    ['a sheet that is null', { sheets: [null] }],
    ['a sheet that is a list', { sheets: [[{ visualId: 'v_1' }]] }],
    ['frames that are not a list', { sheets: [{ frames: 'v_1' }] }],
    ['a frame that is null', { sheets: [{ frames: [null] }] }],
    ['an id that is a number', { sheets: [{ frames: [{ visualId: 1 }] }] }],
    ['an id that is an object', { sheets: [{ frames: [{ visualId: { id: 'v_1' } }] }] }],
    ['an empty id', { sheets: [{ frames: [{ visualId: '' }] }] }],
    ['an id of a card', { sheets: [{ frames: [{ cards: [{ visualId: 'v_1' }] }] }] }],
    ['an id outside of frames', { visualId: 'v_1', sheets: [{ visualId: 'v_2' }] }],
    ['inherited fields', Object.create({ sheets: [{ frames: [{ visualId: 'v_1' }] }] })],
  ])('returns nothing for %s', (_, template: unknown) => {
    expect(linkedVisualIds(template)).toEqual([]);
  });

  it('returns the ids in frames, whatever the rest of the template contains', () => {
    const around = fc.oneof(fc.jsonValue(), fc.anything());
    const ids = fc.array(fc.stringMatching(/^v_[a-z0-9]{1,8}$/), { maxLength: 5 });
    fc.assert(
      fc.property(ids, around, around, (visualIds, sheet, frame) => {
        const frames = visualIds.flatMap((visualId) => [{ visualId, cards: frame }, { visualId: [frame] }]);
        const template = { sheets: [{ title: sheet, frames }], filters: sheet };
        expect(linkedVisualIds(template)).toEqual([...new Set(visualIds)]);
      }),
    );
  });

  it('returns distinct texts for any JSON', () => {
    const frame = fc.record({ visualId: fc.jsonValue() }, { requiredKeys: [] });
    const sheet = fc.record({ frames: fc.oneof(fc.jsonValue(), fc.array(fc.oneof(frame, fc.jsonValue()))) });
    const template = fc.record({
      sheets: fc.oneof(fc.jsonValue(), fc.array(fc.oneof(sheet, fc.jsonValue()))),
    });
    fc.assert(
      fc.property(fc.oneof(template, fc.anything()), (value) => {
        const ids = linkedVisualIds(value);
        expect(ids.every((id) => typeof id === 'string' && id !== '')).toBe(true);
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });
});
