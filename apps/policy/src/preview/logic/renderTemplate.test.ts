import fc from 'fast-check';
import type { ParamValue } from '@gatehouse/contract';
import { runToEnd } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { renderTemplate, type TemplateKind } from './renderTemplate.js';
import { fillPlaceholders } from '../../templates/logic/placeholders.js';

function render(kind: TemplateKind, template: string, params: Record<string, ParamValue>) {
  const filled = runToEnd(fillPlaceholders(Object.keys(params), [{ source: 'assignment', params }]));
  return renderTemplate({ template, kind, owner: 'template' }, filled);
}
const made = (kind: TemplateKind, template: string, v: ParamValue) =>
  render(kind, template, { v }).rendered?.actual ?? render(kind, template, { v }).reason?.code;

describe('a value in the URL of a connection', () => {
  const url = 'postgresql://{{ v }}:5432/{{ v }}?application_name={{ v }}';
  it.each<[ParamValue, string]>([
    ['main', 'main'],
    ['a b', 'a%20b'],
    ['a/b@c:d?e#f&g=h%i+j', 'a%2Fb%40c%3Ad%3Fe%23f%26g%3Dh%25i%2Bj'],
    ["!'()*", '%21%27%28%29%2A'],
    ['é', '%C3%A9'],
    [7, '7'],
    [false, 'false'],
    ['a..b', 'a..b'],
  ])('%s becomes %s', (value, expected) => {
    expect(made('connection', url, value)).toBe(
      `postgresql://${expected}:5432/${expected}?application_name=${expected}`,
    );
  });

  it.each<[string, ParamValue]>([
    ['nothing', ''],
    ['a list', ['a']],
    ['an empty list', []],
    ['a NUL', 'a\0'],
    ['a line break', 'a\nb'],
    ['a line separator', 'a\u2028b'],
    ['half a character', 'a\ud800'],
  ])('refuses %s', (_, value) => {
    expect(made('connection', url, value)).toBe('UNFIT_VALUE');
  });

  it('refuses `..` in the path', () => {
    expect(made('connection', 'postgresql://h/{{ v }}', '..')).toBe('UNFIT_VALUE');
    expect(made('connection', 'postgresql://h/{{ v }}', '.')).toBe('UNFIT_VALUE');
  });

  it('round-trips through a URL parser without changing other parts', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, unit: 'grapheme' }),
        fc.string({ minLength: 1 }),
        (database, password) => {
          const { rendered } = render('connection', 'db://app:{{ p@secret }}@h.example/{{ d }}?x=1', {
            d: database,
            'p@secret': password,
          });
          if (!rendered) return;
          const { username, password: read, hostname, pathname, search, hash } = new URL(rendered.actual);
          expect([
            username,
            decodeURIComponent(read),
            hostname,
            decodeURIComponent(pathname),
            search,
            hash,
          ]).toEqual(['app', password, 'h.example', `/${database}`, '?x=1', '']);
          expect(rendered.shown).toBe(rendered.actual.replace(/:[^:@]*@/, ':***@'));
        },
      ),
    );
  });
});

describe('a value in the URL of a file', () => {
  it.each([
    'file:///data/{{ v }}.db',
    'sqlite:///{{ v }}',
    'sqlite://{{ v }}',
    'jdbc:sqlite:{{ v }}',
    'duckdb:{{ v }}',
    'file:{{ v }}',
  ])('a value is one part of a path: %s', (template) => {
    for (const value of ['..', '../x', 'a/b', 'a\\b', '*', '.', '~', 'a\0'])
      expect(made('connection', template, value)).toBe('UNFIT_VALUE');
    expect(made('connection', template, 'acme-1')).toBe(template.replace('{{ v }}', 'acme-1'));
  });
});

describe('a value in the address of a file that no "//" follows', () => {
  it.each([
    'file:data/{{ v }}.db?mode=ro',
    'jdbc:sqlite:{{ v }}',
    'jdbc:duckdb:data/{{ v }};access_mode=read_only',
  ])('leads to no other file and no other option: %s', (template) => {
    for (const kind of ['connection', 'filePath'] as const) {
      // SQLite opens `file:data/%2e%2e%2fother` as `data/../other`, and ignores what follows a `#`.
      for (const value of ['%2e%2e%2fother', 'a#', 'a&mode=rwc', 'a;b=c', 'a=b', 'file:b', ':memory:'])
        expect(made(kind, template, value)).toBe('UNFIT_VALUE');
      expect(made(kind, template, 'Ä Söhne')).toBe(template.replace('{{ v }}', 'Ä Söhne'));
    }
  });
});

describe('a value in a connection that is not a URL', () => {
  it.each(['Server=h;Database={{ v }};', 'host=h dbname={{ v }}', '{{ v }}', '{{ v }}://h/x'])(
    'must be plain: %s',
    (template) => {
      expect(made('connection', template, 'acme_1.main')).toBe(template.replace('{{ v }}', 'acme_1.main'));
      for (const value of ['a;b', 'a b', "a'b", 'a=b', 'a%20b', 'a/b', '..', 'é', '{a}'])
        expect(made('connection', template, value)).toBe('UNFIT_VALUE');
    },
  );
});

describe('a value in a file path', () => {
  it.each<ParamValue>([
    '..',
    'a..b',
    'a/b',
    '/',
    '\\',
    'a\0',
    'a\rb',
    '',
    '.',
    '*',
    'a?',
    '[ab]',
    '{a,b}',
    '~root',
    ['a'],
    ['..'],
  ])('refuses %j', (value) => {
    expect(made('filePath', 'data/{{ v }}/orders.parquet', value)).toBe('UNFIT_VALUE');
  });

  it.each<[ParamValue, string]>([
    ['acme', 'acme'],
    ['Acme & Sons', 'Acme & Sons'],
    ['v1.2', 'v1.2'],
    [2024, '2024'],
  ])('takes %s', (value, expected) => {
    expect(made('filePath', 'data/{{ v }}/orders.parquet', value)).toBe(`data/${expected}/orders.parquet`);
  });

  it('does not make an address of the path', () => {
    for (const value of ['file:%2e%2e%2fother', 'sqlite:other', 'a:b'])
      expect(made('filePath', '{{ v }}.db', value)).toBe('UNFIT_VALUE');
    const parts = render('filePath', '{{ a }}{{ b }}.db', { a: 'file', b: ':%2e%2e%2fother' });
    expect(parts.reason?.code).toBe('UNFIT_VALUE');
    expect(made('filePath', 'data/{{ v }}.db', 'a:100%')).toBe('data/a:100%.db');
    expect(made('filePath', 'C:/data/{{ v }}.db', 'acme')).toBe('C:/data/acme.db');
  });

  it('is encoded in a URL', () => {
    expect(made('filePath', 'https://files.example/{{ v }}/a.csv', 'a b#c')).toBe(
      'https://files.example/a%20b%23c/a.csv',
    );
  });

  it('never leaves its folder, whatever values are combined', () => {
    const value = fc.stringMatching(/^[./\\~a]{0,3}$/);
    fc.assert(
      fc.property(value, value, (a, b) => {
        const { rendered } = render('filePath', 'data/{{ a }}{{ b }}/x', { a, b });
        const path = new URL(rendered?.actual ?? 'data/refused/x', 'file:///root/').pathname;
        expect(path).toMatch(/^\/root\/data\/[^/]+\/x$/);
      }),
    );
  });
});

describe('a value in a schema', () => {
  it.each<[ParamValue, string]>([
    ['acme', 'tenant_acme'],
    ['t_Ab-9', 'tenant_t_Ab-9'],
    [42, 'tenant_42'],
    ['a$b', 'tenant_a$b'],
  ])('takes %s', (value, expected) => {
    expect(made('schema', 'tenant_{{ v }}', value)).toBe(expected);
  });

  it.each<ParamValue>(['', 'a b', 'a.b', 'a"b', "a'b", 'a;b', 'a/b', 'é', 'a\0', 1.5, ['a'], 'x'.repeat(60)])(
    'refuses %j',
    (value) => {
      expect(made('schema', 'tenant_{{ v }}', value)).toBe('UNFIT_VALUE');
    },
  );

  it('refuses text that does not start like a name', () => {
    expect(made('schema', '{{ v }}', '1a')).toBe('UNFIT_VALUE');
    expect(made('schema', '{{ v }}', '-a')).toBe('UNFIT_VALUE');
    expect(made('schema', '{{ v }}', '_a')).toBe('_a');
  });
});

it('names the placeholder in a reason, and never the value', () => {
  const { reason } = render('schema', 'tenant_{{ v }}', { v: 'evil; drop' });
  expect(reason?.message).toBe(
    'In the template the value of {{ v }} must be made of letters, digits, "_", "$" and "-" to be part of a schema name.',
  );
  expect(render('filePath', 'a/{{ gone }}', {}).reason).toEqual({
    code: 'MISSING_VALUE',
    message: 'The template has no value for {{ gone }}.',
  });
  expect(render('filePath', 'a/{{ gone', {}).reason?.code).toBe('INVALID_TEMPLATE');
});

describe('a template with many placeholders and long values', () => {
  const value = 'x'.repeat(10_000);

  it.each<TemplateKind>(['connection', 'filePath'])('makes a text of limited length: %s', (kind) => {
    const template = '{{ v }}'.repeat(1400);
    const { reason } = render(kind, template, { v: value });
    expect(reason?.code).toBe('UNFIT_VALUE');
    expect(reason?.message).toBe('The template makes a text of more than 65536 characters.');
    expect(made(kind, '{{ v }}'.repeat(6), value)).toBe(value.repeat(6));
  });
});
