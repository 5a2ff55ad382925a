import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSealer } from './sealing.js';

const key = () => randomBytes(32).toString('base64');

describe('a sealer', () => {
  it('opens what it sealed, and seals the same text differently each time', () => {
    const sealer = createSealer(key());
    const sealed = sealer.seal('the secret', 'here');
    expect(sealer.open(sealed, 'here')).toBe('the secret');
    expect(sealed).not.toContain('secret');
    expect(sealer.seal('the secret', 'here')).not.toBe(sealed);
  });

  it('rejects a text that was changed, moved, or sealed with an unknown key', () => {
    const sealer = createSealer(key());
    const sealed = sealer.seal('the secret', 'here');
    const middle = Math.floor(sealed.length / 2);
    const changed = sealed[middle] === 'A' ? 'B' : 'A';
    const tampered = sealed.slice(0, middle) + changed + sealed.slice(middle + 1);
    expect(() => sealer.open(tampered, 'here')).toThrow('authenticate');
    expect(() => sealer.open(sealed, 'there')).toThrow('authenticate');
    expect(() => createSealer(key()).open(sealed, 'here')).toThrow('not configured');
  });

  it('opens with a former key after a rotation and seals with the new one', () => {
    const [former, present] = [key(), key()];
    const sealed = createSealer(former).seal('kept', 'here');
    const rotated = createSealer(`${present},${former}`);
    expect(rotated.open(sealed, 'here')).toBe('kept');
    expect(createSealer(present).open(rotated.seal('new', 'here'), 'here')).toBe('new');
  });

  it('verifies its own signature, and rejects another text, context or key', () => {
    const sealer = createSealer(key());
    const signature = sealer.sign('the head', 'head');
    expect(sealer.judgeSignature(signature, 'the head', 'head')).toBe('right');
    expect(sealer.judgeSignature(signature, 'the heap', 'head')).toBe('wrong');
    expect(sealer.judgeSignature(signature, 'the head', 'entry')).toBe('wrong');
    expect(sealer.judgeSignature(`${signature.slice(0, -1)}é`, 'the head', 'head')).toBe('wrong');
    expect(sealer.judgeSignature('', 'the head', 'head')).toBe('wrong');
    expect(createSealer(key()).judgeSignature(signature, 'the head', 'head')).toBe('unknownKey');
  });

  it('verifies a signature of a former key after a rotation and signs with the new one', () => {
    const [former, present] = [key(), key()];
    const signature = createSealer(former).sign('kept', 'head');
    const rotated = createSealer(`${present},${former}`);
    expect(rotated.judgeSignature(signature, 'kept', 'head')).toBe('right');
    expect(rotated.sign('kept', 'head')).toBe(createSealer(present).sign('kept', 'head'));
  });

  it('rejects keys of another length', () => {
    expect(() => createSealer('c2hvcnQ=')).toThrow('32 bytes');
  });
});
