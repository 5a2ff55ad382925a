import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBuiltInName, isSecretName, parseTemplate, placeholdersOf } from './placeholders.js';

describe('a template', () => {
  it.each([
    ['a {{ b }} c', ['a ', { b: 2 }, ' c']],
    ['{{b}}', [{ b: 0 }]],
    ['{{\tb }}{{b}}', [{ b: 0 }, { b: 7 }]],
    ['{{ A.b_c-9@secret }}', [{ 'A.b_c-9@secret': 0 }]],
    ['', []],
    ['{ a } }} {"b": {"c": 1}}', ['{ a } }} {"b": {"c": 1}}']],
  ])('is read as its parts: %s', (template, expected) => {
    const parts = parseTemplate(template).parts?.map((part) =>
      part.kind === 'text' ? part.text : { [part.name]: part.position },
    );
    expect(parts).toEqual(expected);
  });

  it.each([
    ['x {{ }}', 2],
    ['{{', 0],
    ['{{ a', 0],
    ['{{ a }', 0],
    ['{{ a b }}', 0],
    ['{{ a }} {{{ b }}}', 8],
    ['{{ a@secrets }}', 0],
    ['{{ @secret }}', 0],
    ['{{ a@secret@secret }}', 0],
    ['{{ é }}', 0],
    ['{{\na }}', 0],
    ['{{ a | upper }}', 0],
    [`{{ ${'a'.repeat(201)} }}`, 0],
  ])('does not parse, and reports the position: %s', (template, position) => {
    expect(parseTemplate(template).fault?.position).toBe(position);
    expect(placeholdersOf(template)).toEqual([]);
  });

  it('keeps every part of its text', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_.-]{1,9}(@secret)?$/);
    const text = fc.string({ minLength: 1 }).filter((each) => !each.includes('{'));
    const part = fc.oneof(
      text,
      name.map((each) => ({ name: each })),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const written = parts
          .map((each) => (typeof each === 'string' ? each : `{{ ${each.name} }}`))
          .join('');
        const read = parseTemplate(written).parts ?? [];
        expect(read.map((each) => (each.kind === 'text' ? each.text : `{{ ${each.name} }}`)).join('')).toBe(
          written,
        );
        const names = parts.flatMap((each) => (typeof each === 'string' ? [] : each.name));
        expect(placeholdersOf(written)).toEqual([...new Set(names)]);
      }),
    );
  });
});

describe('names', () => {
  it('are secret only by their suffix', () => {
    expect(isSecretName('password@secret')).toBe(true);
    expect(isSecretName('secret')).toBe(false);
    expect(isSecretName('password@secret.')).toBe(false);
  });

  it('are built in only if they are one of the five', () => {
    expect(
      ['actor.kind', 'actor.id', 'actor.tenantId', 'actor.email', 'actor.role'].every(isBuiltInName),
    ).toBe(true);
    expect(['actor.name', 'actor', 'constructor', '__proto__'].some(isBuiltInName)).toBe(false);
  });
});

it('imports nothing: the console bundles it without zod and every schema', async () => {
  const source = await readFile(new URL('placeholders.ts', import.meta.url), 'utf8');
  expect(source).not.toMatch(/\bimport\b|\bfrom '/);
});
