import type { Entry } from '../search.js';
import { element, findElement } from './elements.js';

const SHOWN_MAX = 30;

/** Whether a key that is pressed there is meant to be written. */
function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}

/** The search field with its list of results (the combobox pattern of the ARIA Authoring Practices). */
export class SearchBox {
  readonly #input = findElement('search', HTMLInputElement);
  readonly #list = findElement('results', HTMLUListElement);
  readonly #status = findElement('found', HTMLElement);
  readonly #search: (query: string) => Entry[];
  #found: readonly Entry[] = [];
  #active = -1;

  constructor(search: (query: string) => Entry[]) {
    this.#search = search;
  }

  /** Begins to answer what is written and pressed; `/` leads here from anywhere on the page. */
  listen(): void {
    this.#input.addEventListener('input', () => this.#show());
    this.#input.addEventListener('focus', () => this.#show());
    this.#input.addEventListener('blur', () => this.#close());
    this.#input.addEventListener('keydown', (event) => this.#press(event));
    // The field keeps the focus, so that its list is still there when the click comes.
    this.#list.addEventListener('pointerdown', (event) => event.preventDefault());
    document.addEventListener('keydown', (event) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isWriting(event.target)) return;
      event.preventDefault();
      this.#input.select();
    });
  }

  #show(): void {
    const all = this.#search(this.#input.value);
    this.#found = all.slice(0, SHOWN_MAX);
    const items = this.#found.map(({ title, detail }, index) => {
      const item = element('li', { role: 'option', id: `result-${index}`, 'aria-selected': 'false' }, [
        title,
        element('p', {}, [detail]),
      ]);
      item.addEventListener('click', () => this.#open(index));
      return item;
    });
    this.#list.replaceChildren(...items);
    this.#list.hidden = items.length === 0;
    this.#input.setAttribute('aria-expanded', String(items.length > 0));
    this.#status.textContent = this.#input.value.trim() === '' ? '' : `${all.length} found`;
    this.#activate(items.length > 0 ? 0 : -1);
  }

  #close(): void {
    this.#list.hidden = true;
    this.#input.setAttribute('aria-expanded', 'false');
    this.#activate(-1);
  }

  #activate(index: number): void {
    this.#list.children[this.#active]?.setAttribute('aria-selected', 'false');
    this.#active = index;
    const item = this.#list.children[index];
    item?.setAttribute('aria-selected', 'true');
    item?.scrollIntoView({ block: 'nearest' });
    if (item) this.#input.setAttribute('aria-activedescendant', item.id);
    else this.#input.removeAttribute('aria-activedescendant');
  }

  #press(event: KeyboardEvent): void {
    const count = this.#found.length;
    if (event.key === 'ArrowDown' && count > 0) this.#activate((this.#active + 1) % count);
    else if (event.key === 'ArrowUp' && count > 0) this.#activate((this.#active - 1 + count) % count);
    else if (event.key === 'Enter') this.#open(this.#active);
    else if (event.key === 'Escape') this.#close();
    else return;
    event.preventDefault();
  }

  #open(index: number): void {
    const entry = this.#found[index];
    if (!entry) return;
    this.#input.blur();
    location.hash = entry.target;
  }
}
