import type { CompiledCondition, Preview } from '@gatehouse/contract';
import { button, element, scrolling, table } from '../dom.js';
import { markConditions } from '../logic/sqlMarks.js';

/**
 * Shows a preview: the statement before and after, the conditions with their rules, and how it was resolved.
 */
export function showPreview(place: HTMLElement, preview: Preview, before: string): void {
  const { compiled, rls, trace } = preview;
  const { status, inlineSql, conditions, reasons } = compiled;
  const after = inlineSql ?? '';
  place.replaceChildren(
    element(
      'p',
      { class: 'outcome' },
      'Result: ',
      element('span', { class: 'level', 'data-status': status }, status),
      ` for ${preview.actor.name ?? preview.actor.kind} on ${preview.connection.name}`,
    ),
    element(
      'div',
      { class: 'columns' },
      sqlPanel('Before', element('code', {}, before)),
      inlineSql === null ? reasonsPanel(reasons) : sqlPanel('After', markedSql(after, conditions)),
    ),
    conditionList(after, conditions),
    table(
      'Rules that hold',
      ['Rule', 'Expression', 'With its values', 'From'],
      rls.rules.map(({ name, expression, resolvedExpression, source }) => [
        name,
        element('code', {}, expression),
        element('code', {}, resolvedExpression ?? 'a value is missing'),
        source,
      ]),
    ),
    table(
      'How it was resolved',
      ['Step', 'About', 'Outcome', 'Why'],
      trace.map(({ subject, name, outcome, why }, index) => [`${index + 1}. ${subject}`, name, outcome, why]),
    ),
  );
}

function sqlPanel(title: string, code: HTMLElement): HTMLElement {
  return element(
    'section',
    { class: 'card', 'aria-label': `${title} the policies` },
    element('h2', {}, title),
    scrolling(`Statement ${title.toLowerCase()} the policies`, element('pre', {}, code)),
  );
}

function reasonsPanel(reasons: Preview['compiled']['reasons']): HTMLElement {
  const lines = reasons.map(({ code, message, rule }) =>
    element('li', {}, element('strong', {}, code), ` ${message}`, rule ? ` (rule ${rule})` : ''),
  );
  return element(
    'section',
    { class: 'card', 'aria-label': 'After the policies' },
    element('h2', {}, 'No statement comes of it'),
    element('ul', {}, ...lines),
  );
}

const conditionId = (index: number): string => `condition-${index + 1}`;

/** The statement with a button in place of each injected condition, which leads to its rules. */
function markedSql(sql: string, conditions: readonly CompiledCondition[]): HTMLElement {
  const parts = markConditions(sql, conditions).map(({ text, condition }) => {
    if (condition === null) return text;
    const mark = button(text, () => document.getElementById(conditionId(condition))?.focus());
    mark.className = 'mark';
    mark.setAttribute('aria-describedby', `${conditionId(condition)}-rules`);
    mark.append(element('sup', {}, String(condition + 1)));
    return mark;
  });
  return element('code', {}, ...parts);
}

function conditionList(sql: string, conditions: readonly CompiledCondition[]): HTMLElement | string {
  if (conditions.length === 0) return '';
  const marked = new Set(markConditions(sql, conditions).map(({ condition }) => condition));
  const items = conditions.map(({ table: name, schema, alias, expression, rules }, index) =>
    element(
      'li',
      { id: conditionId(index), tabindex: -1 },
      element(
        'strong',
        {},
        `${schema === null ? '' : `${schema}.`}${name}${alias === null ? '' : ` as ${alias}`}`,
      ),
      element('code', {}, expression),
      element('span', { id: `${conditionId(index)}-rules` }, `by the rules: ${rules.join(', ')}`),
      marked.has(index) ? '' : element('em', {}, 'not marked: its place in the statement was not recognised'),
    ),
  );
  return element(
    'section',
    { class: 'card', 'aria-label': 'Conditions' },
    element('h2', {}, 'Conditions that were put in'),
    element('ol', { class: 'conditions' }, ...items),
  );
}
