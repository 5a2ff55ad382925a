import { describe, expect, it } from 'vitest';
import { GrantEntry } from './services/shareEntries.js';
import { Email, Id, isStorableText, jsonObject, label, SemanticDomainAccess } from './vocabulary.js';

describe('text that may be stored', () => {
  it.each(['', 'a', 'ä', '😀', '\u{10ffff}', '\t\n'])('holds %j', (value) =>
    expect(isStorableText(value)).toBe(true),
  );
  it.each(['\0', 'a\0b', '\ud800', 'x\udc00', '\udc00\ud800'])('rejects %j', (value) =>
    expect(isStorableText(value)).toBe(false),
  );
});

describe('a JSON object', () => {
  const schema = jsonObject(100);

  it('names the location of a text that cannot be stored', () => {
    const issues = schema.safeParse({ sheets: [{ title: 'fine' }, { title: 'bad\0' }] }).error?.issues;
    expect(issues).toMatchObject([{ path: ['sheets', 1, 'title'] }]);
  });

  it('rejects a key that cannot be stored', () => {
    expect(schema.safeParse({ 'a\0': 1 }).success).toBe(false);
  });

  it('counts bytes, not characters', () => {
    expect(schema.safeParse({ a: 'x'.repeat(92) }).success).toBe(true);
    expect(schema.safeParse({ a: 'ä'.repeat(92) }).success).toBe(false);
  });

  it.each([[[]], ['text'], [7], [null]])('refuses %j', (value) =>
    expect(schema.safeParse(value).success).toBe(false),
  );
});

describe('small values', () => {
  it('refuses names of white space, long ids and odd e-mail addresses', () => {
    expect(label(10).safeParse(' \t').success).toBe(false);
    expect(Id.safeParse('a'.repeat(65)).success).toBe(false);
    expect(Id.safeParse('a/b').success).toBe(false);
    expect(Email.safeParse('a@b').success).toBe(false);
  });

  it('requires domains exactly if the mode needs them', () => {
    expect(SemanticDomainAccess.safeParse({ mode: 'include' }).success).toBe(false);
    expect(SemanticDomainAccess.safeParse({ mode: 'include', domains: [] }).success).toBe(false);
    expect(SemanticDomainAccess.safeParse({ mode: 'all', domains: ['sales'] }).success).toBe(false);
    expect(SemanticDomainAccess.safeParse({ mode: 'exclude', domains: ['sales'] }).success).toBe(true);
  });

  it('accepts a share with exactly the target of its scope', () => {
    const role = 'VIEWER' as const;
    expect(GrantEntry.safeParse({ scope: 'group', role, groupId: 'grp_1' }).success).toBe(true);
    expect(GrantEntry.safeParse({ scope: 'all_org_users', role }).success).toBe(true);
    expect(GrantEntry.safeParse({ scope: 'group', role }).error?.issues).toMatchObject([
      { path: ['groupId'] },
    ]);
    const both = { scope: 'all_org_users', role, tenantId: 't_1' };
    expect(GrantEntry.safeParse(both).error?.issues).toMatchObject([{ path: ['tenantId'] }]);
  });
});
