import { LEXICONS, type Lexicon, type PolyglotDialect } from './lexicon.js';
import { refuse } from './refuse.js';
import type { Call, Expression, Frame, Name, Order, Query, Window } from './tree.js';

/** The printed form of values: literals, or `?` with the values listed separately. */
export type ValueForm = 'literals' | 'parameters';

/** Prints expressions word by word. The text consists only of keywords, quoted names and literals. */
export abstract class ExpressionPrinter {
  readonly parameters: (string | number | boolean)[] = [];
  readonly #lexicon: Lexicon;

  readonly #dialect: PolyglotDialect;
  readonly #form: ValueForm;

  constructor(dialect: PolyglotDialect, form: ValueForm) {
    this.#dialect = dialect;
    this.#form = form;
    this.#lexicon = LEXICONS[dialect];
  }

  abstract query(query: Query): string;

  expression(node: Expression): string {
    if (isOperation(node)) return this.#operation(node);
    switch (node.kind) {
      case 'column':
        return this.path(node.path);
      case 'star':
        return [...node.qualifier.map((name) => this.name(name)), '*'].join('.');
      case 'number':
        return node.text;
      case 'string':
        return this.#string(node.value);
      case 'constant':
        return node.word;
      case 'placeholder':
        return `{{ ${node.name} }}`;
      case 'value':
        return this.#value(node.value);
      case 'case':
        return this.#case(node);
      case 'call':
        return this.#call(node);
      case 'over':
        return `${this.#call(node.call)} OVER ${'partitionBy' in node.window ? this.window(node.window) : this.name(node.window)}`;
      case 'groupConcat':
        return this.#groupConcat(node);
    }
  }

  #operation(node: Operation): string {
    switch (node.kind) {
      case 'chain':
        return [
          this.expression(node.first),
          ...node.rest.flatMap((link) => [this.#operator(link.operator), this.expression(link.operand)]),
        ].join(' ');
      case 'prefix':
        return `${node.operator} ${this.expression(node.operand)}`;
      case 'between':
        return `${this.expression(node.operand)} ${not(node)}BETWEEN ${this.expression(node.low)} AND ${this.expression(node.high)}`;
      case 'like':
        return this.join([
          this.expression(node.operand),
          node.operator,
          this.expression(node.pattern),
          node.escape && `ESCAPE ${this.expression(node.escape)}`,
        ]);
      case 'in':
        return `${this.expression(node.operand)} ${not(node)}IN (${this.list(node.items)})`;
      case 'inQuery':
        return `${this.expression(node.operand)} ${not(node)}IN (${this.query(node.query)})`;
      case 'exists':
        return `EXISTS (${this.query(node.query)})`;
      case 'scalarQuery':
        return `(${this.query(node.query)})`;
      case 'quantified':
        return `${this.expression(node.operand)} ${node.operator} ${node.quantifier} (${this.query(node.query)})`;
      case 'parenthesized':
        return `(${this.expression(node.inner)})`;
      case 'tuple':
        return `(${this.list(node.items)})`;
      case 'collate':
        return `${this.expression(node.operand)} COLLATE ${this.name(node.collation)}`;
    }
  }

  protected join(parts: readonly (string | null)[]): string {
    return parts.filter((part) => part !== null && part !== '').join(' ');
  }

  protected list(items: readonly Expression[]): string {
    return items.map((item) => this.expression(item)).join(', ');
  }

  protected names(names: readonly Name[]): string {
    return names.map((name) => this.name(name)).join(', ');
  }

  protected path(names: readonly Name[]): string {
    return names.map((name) => this.name(name)).join('.');
  }

  protected name({ text }: Name): string {
    const open = this.#lexicon.nameQuote;
    const close = this.#lexicon.nameQuotes[open] ?? open;
    return `${open}${text.replaceAll(close, close + close)}${close}`;
  }

  #operator(operator: string): string {
    return this.#dialect === 'mysql' && operator === 'IS NOT DISTINCT FROM' ? '<=>' : operator;
  }

  #value(value: string | number | boolean): string {
    if (this.#form === 'parameters') {
      this.parameters.push(value);
      return '?';
    }
    if (typeof value === 'string') return this.#string(value);
    if (typeof value === 'number') return numberText(value);
    // SQL Server has no boolean literals. Its BIT compares with numbers.
    if (this.#dialect === 'mssql') return value ? '1' : '0';
    return value ? 'TRUE' : 'FALSE';
  }

  #string(value: string): string {
    if (value.includes('\0')) refuse('UNFIT_VALUE', 'a NUL in a value is not allowed');
    // Drivers send another character in its place, which is the value of other rows.
    if (/\p{Surrogate}/u.test(value)) refuse('UNFIT_VALUE', 'half a character in a value is not allowed');
    if (this.#lexicon.escapes === null) return `${this.#stringPrefix(value)}'${value.replaceAll("'", "''")}'`;
    const escaped = value.replaceAll('\\', '\\\\');
    if (this.#lexicon.hasDoubledQuotes) return `'${escaped.replaceAll("'", "''")}'`;
    const quoted = escaped.replaceAll("'", "\\'");
    return `'${quoted.replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`;
  }

  /** Without the N prefix, SQL Server replaces letters outside its code page by question marks. */
  #stringPrefix(value: string): string {
    if (/\\[\r\n]/.test(value)) refuse('UNFIT_VALUE', 'a backslash at the end of a line is not allowed');
    return this.#dialect === 'mssql' && /[^ -~\t\r\n]/.test(value) ? 'N' : '';
  }

  #case(node: Expression & { kind: 'case' }): string {
    return this.join([
      'CASE',
      node.operand && this.expression(node.operand),
      ...node.branches.map(
        ({ condition, result }) => `WHEN ${this.expression(condition)} THEN ${this.expression(result)}`,
      ),
      node.otherwise && `ELSE ${this.expression(node.otherwise)}`,
      'END',
    ]);
  }

  #call({ form, isDistinct, arguments: items, filter }: Call): string {
    // Printing adds the parameters of an expression, so each is printed once.
    if (form.form === 'trim') return this.#trim(form.side, items);
    const list = this.list(items);
    switch (form.form) {
      case 'function':
        return this.join([
          `${form.name}(${isDistinct ? 'DISTINCT ' : ''}${list})`,
          filter && `FILTER (WHERE ${this.expression(filter)})`,
        ]);
      case 'bareWord':
        return form.word;
      case 'cast':
        return `CAST(${list} AS ${form.type})`;
      case 'extract':
        return `EXTRACT(${form.unit} FROM ${list})`;
      case 'unit':
        return `${form.name}(${form.unit}, ${list})`;
      case 'interval':
        return `INTERVAL ${list} ${form.unit}`;
      case 'using':
        return `CONVERT(${list} USING ${form.charset})`;
      case 'plus':
        return `+ ${list}`;
      case 'typed':
        return `${form.type} ${list}`;
    }
  }

  #trim(side: string | null, items: readonly Expression[]): string {
    const [first, text = first] = items.map((item) => this.expression(item));
    const characters = items.length > 1 ? first : null;
    return `TRIM(${this.join([side, characters ?? null, `FROM ${text}`])})`;
  }

  #groupConcat(node: Expression & { kind: 'groupConcat' }): string {
    const inner = this.join([
      node.isDistinct ? 'DISTINCT' : null,
      this.list(node.operands),
      this.orderBy(node.orderBy),
      node.separator && `SEPARATOR ${this.expression(node.separator)}`,
    ]);
    return `GROUP_CONCAT(${inner})`;
  }

  protected window({ base, partitionBy, orderBy, frame }: Window): string {
    const inner = this.join([
      base && this.name(base),
      partitionBy.length > 0 ? `PARTITION BY ${this.list(partitionBy)}` : null,
      this.orderBy(orderBy),
      frame && this.#frame(frame),
    ]);
    return `(${inner})`;
  }

  #frame({ unit, start, end }: Frame): string {
    const bound = ({ distance, side }: Frame['start']): string =>
      this.join([distance && this.expression(distance), side]);
    return end === null ? `${unit} ${bound(start)}` : `${unit} BETWEEN ${bound(start)} AND ${bound(end)}`;
  }

  protected orderBy(orderBy: readonly Order[]): string | null {
    if (orderBy.length === 0) return null;
    const items = orderBy.map(({ expression, isDescending, nulls }) =>
      this.join([this.expression(expression), isDescending ? 'DESC' : null, nulls && `NULLS ${nulls}`]),
    );
    return `ORDER BY ${items.join(', ')}`;
  }
}

type Operation = Extract<Expression, { kind: (typeof OPERATIONS)[number] }>;

const OPERATIONS = [
  'chain',
  'prefix',
  'between',
  'like',
  'in',
  'inQuery',
  'exists',
  'scalarQuery',
  'quantified',
  'parenthesized',
  'tuple',
  'collate',
] as const;
const OPERATION_KINDS: ReadonlySet<string> = new Set(OPERATIONS);

function isOperation(node: Expression): node is Operation {
  return OPERATION_KINDS.has(node.kind);
}

const not = ({ isNegated }: { isNegated: boolean }): string => (isNegated ? 'NOT ' : '');

function numberText(value: number): string {
  if (!Number.isFinite(value)) refuse('UNFIT_VALUE', 'a number that is not finite is not allowed');
  return String(value);
}
