import { createApi } from './api.js';
import { element, labelled, onSubmit, option } from './dom.js';
import { showError } from './errorBox.js';
import { openSession, type Session } from './session.js';

/** Shows the two ways to sign in. The input is sent to the API only, and is discarded with the page. */
export function showSignIn(place: HTMLElement, onSession: (session: Session) => void): void {
  const heading = element('h1', { tabindex: -1 }, 'Sign in');
  const tryOpening = (work: () => Promise<Session>): void => {
    work().then(onSession, (error: unknown) => showError(place, error));
  };
  place.replaceChildren(
    heading,
    element(
      'p',
      { class: 'about' },
      'The token is kept in memory alone: loading the page again signs you out.',
    ),
    element('div', { class: 'columns' }, secretForm(tryOpening), tokenForm(tryOpening)),
  );
  heading.focus();
}

const CODE = /^#sign-in=([A-Za-z0-9_-]+)$/;

/**
 * The code of a sign-in link, which is removed from the address and the history; null if there is none. The
 * code is in the fragment, which browsers send to no server.
 */
export function takeSignInCode(): string | null {
  const code = CODE.exec(location.hash)?.[1] ?? null;
  if (code !== null) history.replaceState(null, '', location.pathname);
  return code;
}

/** Opens a session with the code of a sign-in link. A code works once. */
export function signInWithCode(signInCode: string): Promise<Session> {
  return requestToken({ signInCode });
}

async function requestToken(body: object): Promise<Session> {
  const { accessToken } = await createApi(null).post<{ accessToken: string }>('/api/v1/token', body);
  return open(accessToken, true);
}

function secretForm(tryOpening: (work: () => Promise<Session>) => void): HTMLElement {
  const projectId = element('input', { required: true, autocomplete: 'off', spellcheck: 'false' });
  const projectSecret = element('input', { type: 'password', required: true, autocomplete: 'off' });
  const kind = element(
    'select',
    {},
    option('orgUserId', 'Org user, by id'),
    option('endUserId', 'Tenant user, by id'),
  );
  const user = element('input', { required: true, autocomplete: 'off', spellcheck: 'false' });
  const form = element(
    'form',
    { class: 'card' },
    element('h2', {}, 'With the secret of a project'),
    labelled('Project id', projectId),
    labelled('Project secret', projectSecret),
    labelled('Act as', kind),
    labelled('User id', user),
    element('button', { class: 'main' }, 'Sign in'),
  );
  onSubmit(form, () =>
    tryOpening(() =>
      requestToken({
        projectId: projectId.value.trim(),
        projectSecret: projectSecret.value.trim(),
        [kind.value]: user.value.trim(),
      }),
    ),
  );
  return form;
}

function tokenForm(tryOpening: (work: () => Promise<Session>) => void): HTMLElement {
  const token = element('input', { type: 'password', required: true, autocomplete: 'off' });
  const form = element(
    'form',
    { class: 'card' },
    element('h2', {}, 'With an access token'),
    labelled('Access token', token),
    element('button', { class: 'main' }, 'Use the token'),
  );
  onSubmit(form, () => tryOpening(async () => open(token.value.trim(), false)));
  return form;
}

function open(accessToken: string, isOwn: boolean): Session {
  const session = openSession(accessToken, isOwn);
  if (session === null) throw new Error('This is no access token.');
  return session;
}
