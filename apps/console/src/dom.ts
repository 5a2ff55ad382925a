/** A child of an element. Text is always inserted as text, never as markup. */
export type Child = Node | string | null;
type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

const SVG = 'http://www.w3.org/2000/svg';

/**
 * An HTML element. An attribute that is `true` is set without a value; one that is false or undefined is
 * omitted.
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function svgElement<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[Tag] {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill<Made extends Element>(made: Made, attributes: Attributes, children: readonly Child[]): Made {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** A button whose label names its action. */
export function button(label: string, onClick: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button' }, label);
  made.addEventListener('click', onClick);
  return made;
}

/** A control with its label. */
export function labelled(label: string, control: HTMLElement): HTMLLabelElement {
  return element('label', {}, element('span', {}, label), control);
}

/** An option of a select; `selected` is the current value of the select. */
export function option(value: string, label: string, selected?: string): HTMLOptionElement {
  return element('option', { value, selected: value === selected }, label);
}

/** A table with a caption and column headings; the first cell of each row is the row heading. */
export function table(
  caption: string,
  headings: readonly string[],
  rows: readonly (readonly Child[])[],
): HTMLElement {
  const toRow = ([first = null, ...rest]: readonly Child[]): HTMLTableRowElement =>
    element('tr', {}, element('th', { scope: 'row' }, first), ...rest.map((cell) => element('td', {}, cell)));
  const made = element(
    'table',
    {},
    element('caption', {}, caption),
    element('thead', {}, element('tr', {}, ...headings.map((text) => element('th', { scope: 'col' }, text)))),
    element('tbody', {}, ...rows.map(toRow)),
  );
  return scrolling(caption, made);
}

/** A box that scrolls sideways by itself, also from the keyboard, so that the page never does. */
export function scrolling(label: string, content: Element): HTMLElement {
  return element('div', { class: 'scrolling', role: 'region', tabindex: 0, 'aria-label': label }, content);
}

/** Runs the work instead of submitting the form, which the content security policy would block. */
export function onSubmit(form: HTMLFormElement, work: () => void): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    work();
  });
}
