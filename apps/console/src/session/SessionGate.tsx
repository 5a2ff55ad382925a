import { Center, Loader } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { ApiContext } from '../data/api.js';
import { ErrorNotice } from '../components/ErrorNotice.js';
import { useUrlState } from '../data/urlState.js';
import { SessionContext, type ActiveSession } from './SessionContext.js';
import { sessionQuery, signInWithCode, type SignedIn } from './session.js';
import { openLaterLinks, takeSignInCode } from './signInCode.js';
import { SessionEnd, SignIn } from './SignIn.js';
import { useProjectApi } from './useProjectApi.js';

/** Null once it is sent: after an error the page may be built again, and a second use would be a failure. */
let code = takeSignInCode();
openLaterLinks();
const LAST_PROJECT = 'gatehouse-project';

/** Shows its content to a signed-in user, and the sign-in page to others. */
export function SessionGate({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [exchange, setExchange] = useState<{ isRunning: boolean; error: unknown }>({
    isRunning: code !== null,
    error: null,
  });
  useEffect(() => {
    if (code === null) return;
    const taken = code;
    code = null;
    signInWithCode(taken)
      .then(() => queries.invalidateQueries({ queryKey: sessionQuery.queryKey }))
      .then(
        () => setExchange({ isRunning: false, error: null }),
        (error: unknown) => setExchange({ isRunning: false, error }),
      );
  }, [queries]);
  const { data, error, refetch } = useQuery({ ...sessionQuery, enabled: !exchange.isRunning });
  const [session, setSession] = useState<SignedIn | null>(null);
  const current = data?.signedIn === true ? data : null;
  if (session === null && current !== null) setSession(current);
  const isOther = session !== null && current !== null && session.user.id !== current.user.id;
  useEffect(() => {
    // The cache has the records of the former user.
    if (isOther) location.reload();
  }, [isOther]);
  if (error !== null && data === undefined) {
    return (
      <Center p="xl" component="main">
        <ErrorNotice error={error} title="The session could not be read" />
      </Center>
    );
  }
  if (exchange.isRunning || data === undefined || isOther) {
    return (
      <Center h="100vh" component="main">
        <Loader role="status" aria-label="Loading" />
      </Center>
    );
  }
  const shown = current ?? session;
  if (shown === null) return <SignIn methods={data.methods} error={exchange.error} />;
  return (
    <>
      <Project session={shown}>{children}</Project>
      {current === null && <SessionEnd methods={data.methods} onReturn={() => void refetch()} />}
    </>
  );
}

/** Provides the API for the project in the address, else for the one used last. */
function Project({ session, children }: { session: SignedIn; children: ReactNode }) {
  const [state, setState] = useUrlState();
  const find = (id: string | null | undefined) => session.projects.find((project) => project.id === id);
  const project = find(state['project']) ?? find(localStorage.getItem(LAST_PROJECT)) ?? session.projects[0];
  const id = project?.id;
  const isShown = state['project'] === id || session.projects.length < 2;
  useEffect(() => {
    if (id === undefined) return;
    localStorage.setItem(LAST_PROJECT, id);
    if (!isShown) setState({ project: id });
  }, [id, isShown, setState]);
  const { csrfToken } = session;
  const api = useProjectApi(id ?? '', csrfToken);
  if (project === undefined) {
    return (
      <Center p="xl" component="main">
        You have no access to a project of {session.user.organizationName}. An Admin can create one.
      </Center>
    );
  }
  const active: ActiveSession = { ...session, project };
  return (
    <SessionContext value={active}>
      <ApiContext value={api}>{children}</ApiContext>
    </SessionContext>
  );
}
