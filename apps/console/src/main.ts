import { ApiError } from './api.js';
import { element } from './dom.js';
import { showError } from './errorBox.js';
import { formatRoute, parseRoute } from './logic/route.js';
import type { Session } from './session.js';
import { showSignIn, signInWithCode, takeSignInCode } from './signIn.js';
import { followTheme } from './theme.js';
import type { View } from './view.js';
import { accessView } from './views/access.js';
import { matrixView } from './views/matrix.js';
import { migrationView } from './views/migration.js';
import { previewView } from './views/preview.js';
import { validationView } from './views/validation.js';

const views: readonly [View, ...View[]] = [
  accessView,
  matrixView,
  previewView,
  validationView,
  migrationView,
];
const NOT_SIGNED_IN = 'UNAUTHENTICATED AUTH_FAILED';

function find(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no ${id}`);
  return found;
}

const [main, nav, status, who, signOut] = [
  find('main'),
  find('views'),
  find('status'),
  find('who'),
  find('sign-out'),
];
let session: Session | null = null;
let shown = new AbortController();

function announce(text: string): void {
  status.textContent = text;
}

/** Ignore errors of a view that the user has left in the meantime. */
function fail(error: unknown, signal: AbortSignal): void {
  if (signal.aborted) return;
  announce('');
  const isSignedOut = error instanceof ApiError && NOT_SIGNED_IN.split(' ').includes(error.code);
  if (isSignedOut && session !== null) {
    session = null;
    show();
  }
  showError(main, error);
}

async function showView(view: View, current: Session, { signal }: AbortController): Promise<void> {
  const place = element('div', { class: 'view' });
  const heading = element('h1', { tabindex: -1 }, view.title);
  main.replaceChildren(heading, element('p', { class: 'about' }, view.about), place);
  heading.focus();
  const run = (work: () => Promise<void>): void => {
    main.querySelector(':scope > [role=alert]')?.remove();
    work().catch((error: unknown) => fail(error, signal));
  };
  const route = parseRoute(location.hash);
  const ifShown = (text: string): void => (signal.aborted ? undefined : announce(text));
  const context = { api: current.apiUntil(signal), claims: current.claims, route, announce: ifShown, run };
  await view.show(place, context).catch((error: unknown) => fail(error, signal));
}

function show(): void {
  shown.abort();
  shown = new AbortController();
  announce('');
  nav.hidden = session === null;
  signOut.hidden = session === null;
  who.textContent = session === null ? '' : describeSession(session);
  if (session === null) {
    document.title = 'Sign in - Gatehouse console';
    showSignIn(main, (opened) => {
      session = opened;
      show();
    });
    return;
  }
  const { view: name } = parseRoute(location.hash);
  const view = views.find((candidate) => candidate.name === name) ?? views[0];
  document.title = `${view.title} - Gatehouse console`;
  for (const link of nav.querySelectorAll('a')) {
    if (link.dataset['view'] === view.name) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  void showView(view, session, shown);
}

function describeSession({ claims }: Session): string {
  const person = claims.orgUserId ?? claims.tenantUserId ?? claims.dashboardId ?? 'the project itself';
  return `${person} in ${claims.projectId}, until ${new Date(claims.exp * 1000).toLocaleTimeString()}`;
}

nav.append(
  element(
    'ul',
    {},
    ...views.map(({ name, title }) =>
      element('li', {}, element('a', { href: formatRoute(name), 'data-view': name }, title)),
    ),
  ),
);
followTheme(find('theme'));
find('skip').addEventListener('click', (event) => {
  // The view comes from the address, so the link must not change it.
  event.preventDefault();
  main.focus();
});
signOut.addEventListener('click', () => {
  const ended = session;
  session = null;
  show();
  ended?.end().catch((error: unknown) => showError(main, error));
});
window.addEventListener('hashchange', show);
const signInCode = takeSignInCode();
if (signInCode === null) show();
else {
  signInWithCode(signInCode)
    .then((opened) => {
      session = opened;
      show();
    })
    .catch((error: unknown) => {
      show();
      showError(main, error);
    });
}
