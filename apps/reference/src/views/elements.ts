export type Child = Node | string;

/** Makes an element. Text stays text: nothing is ever parsed as HTML. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>> = {},
  children: readonly Child[] = [],
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export const code = (text: string): HTMLElement => element('code', {}, [text]);

/** A text to be read as it stands, which scrolls and so can be reached by keyboard. */
export function preformatted(text: string, label: string): HTMLPreElement {
  return element('pre', { tabindex: '0', role: 'region', 'aria-label': label }, [text]);
}

/** Details that are made when they are first opened. */
export function lazyDetails(summary: readonly Child[], make: () => Child): HTMLDetailsElement {
  const details = element('details', {}, [element('summary', {}, summary)]);
  details.addEventListener('toggle', () => details.append(make()), { once: true });
  return details;
}

export function table(heads: readonly string[], rows: readonly (readonly Child[])[]): HTMLTableElement {
  const head = heads.map((text) => element('th', { scope: 'col' }, [text]));
  const body = rows.map((cells) =>
    element(
      'tr',
      {},
      cells.map((cell) => element('td', {}, [cell])),
    ),
  );
  return element('table', {}, [element('thead', {}, [element('tr', {}, head)]), element('tbody', {}, body)]);
}

/** The element of the page with an id, which is of the class that is expected. */
export function findElement<T extends HTMLElement>(id: string, type: abstract new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`The page has no ${id}`);
  return found;
}
