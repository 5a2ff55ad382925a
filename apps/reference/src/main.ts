import type { OpenApiDocument } from '@gatehouse/contract';
import { readReference, type Reference } from './operations.js';
import { createIndex, searchIndex } from './search.js';
import { createSession, type Session } from './session.js';
import { element, findElement, type Child } from './views/elements.js';
import { markCurrent, renderNavigation } from './views/navigation.js';
import { renderOperation } from './views/operationView.js';
import { renderArea, renderError, renderHome, renderRecord } from './views/pages.js';
import { SearchBox } from './views/searchBox.js';

const DOCUMENT = '/openapi.json';

async function fetchDocument(): Promise<OpenApiDocument> {
  const response = await fetch(DOCUMENT);
  if (!response.ok) throw new Error(`${DOCUMENT} answers ${response.status}`);
  return (await response.json()) as OpenApiDocument;
}

/** The page that a fragment names; null where there is none. */
function renderPage(reference: Reference, session: Session, target: string): Child[] | null {
  if (target === '') return renderHome(reference);
  const [, kind, name = ''] = /^(area|schema|error)-(.+)$/.exec(target) ?? [];
  if (kind === 'area') return renderArea(reference, name);
  if (kind === 'schema') return renderRecord(reference, name);
  if (kind === 'error') return renderError(reference, name);
  const operation = reference.operations.find(({ operationId }) => operationId === target);
  return operation ? renderOperation(reference, operation, session) : null;
}

function readFragment(): string {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return location.hash.slice(1);
  }
}

function watchToken(session: Session): void {
  const input = findElement('token', HTMLInputElement);
  const state = findElement('token-state', HTMLElement);
  input.addEventListener('input', () => {
    const isToken = session.use(input.value);
    const isEmpty = session.token === '';
    input.setAttribute('aria-invalid', String(!isToken && !isEmpty));
    state.textContent = isEmpty ? '' : isToken ? 'Token taken' : 'This is no token';
  });
}

function start(document: OpenApiDocument): void {
  const reference = readReference(document);
  const session = createSession();
  const main = findElement('main', HTMLElement);
  const navigation = findElement('areas', HTMLElement);
  navigation.replaceChildren(...renderNavigation(reference));
  watchToken(session);
  let index: ReturnType<typeof createIndex> | undefined;
  new SearchBox((query) => searchIndex((index ??= createIndex(reference)), query)).listen();
  const show = () => {
    const target = readFragment() === main.id ? '' : readFragment();
    const page = renderPage(reference, session, target) ?? [element('h1', {}, [`There is no ${target}`])];
    main.replaceChildren(...page);
    main.scrollTop = 0;
    markCurrent(navigation, target);
    const title = main.querySelector('h1')?.textContent ?? '';
    globalThis.document.title = target === '' ? title : `${title} · Gatehouse`;
  };
  addEventListener('hashchange', () => {
    // The link that skips the navigation names no page.
    if (readFragment() !== main.id) show();
    main.focus();
  });
  show();
}

start(await fetchDocument());
