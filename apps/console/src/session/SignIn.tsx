import { Alert, Button, Code, Divider, Paper, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, type ReactNode } from 'react';
import { ErrorNotice } from '../components/ErrorNotice.js';
import { Icon } from '../components/Icon.js';
import { providerAddress, SessionError, type SignInMethods } from './session.js';
import classes from './SignIn.module.css';

/** What an error of a sign-in link means, by its code. */
const LINK_ERRORS: Readonly<Record<string, string>> = {
  UNAUTHENTICATED:
    'This link was already used, or it has expired. Create a new one and open it within ten minutes.',
  FORBIDDEN: 'Your account may not use the console. Contact an Admin of your organization.',
  RATE_LIMITED: 'Too many attempts. Wait a minute and try again.',
  UNAVAILABLE: 'Gatehouse cannot sign you in at the moment. Try again shortly.',
};

/** What a failed sign-in at the provider means, by the code that the gateway adds to the address. */
const PROVIDER_ERRORS: ReadonlyMap<string, string> = new Map([
  ['STATE', 'It took longer than ten minutes, or began in another browser. Start again.'],
  ['PROVIDER_REFUSED', 'Your organization did not sign you in. Start again, or contact its support.'],
  ['PROVIDER_UNAVAILABLE', 'The sign-in of your organization does not respond. Try again shortly.'],
  ['INVALID_RESPONSE', 'The response of your organization is not valid. Start again.'],
  ['NOT_MAPPED', 'Your account has no access to Gatehouse. Contact an Admin of your organization.'],
  ['UNKNOWN_USER', 'No user belongs to your account. Contact an Admin of your organization.'],
  ['EMAIL_NOT_VERIFIED', 'Your e-mail address is not verified. Verify it at your organization first.'],
  ['EMAIL_TAKEN', 'Another user has your e-mail address. Contact an Admin of your organization.'],
  ['USER_LINKED', 'The user with your e-mail address belongs to another account. Contact an Admin.'],
  ['USER_INACTIVE', 'Your user is deactivated. Contact an Admin of your organization.'],
  ['ROLE_NOT_APPLIED', 'The organization would have no Admin with your present role. Contact its support.'],
  ['RATE_LIMITED', 'Too many attempts. Wait a minute and try again.'],
  ['UNAVAILABLE', 'Gatehouse cannot sign you in at the moment. Try again shortly.'],
]);
const ERROR_NAME = 'signInError';

/** Why the sign-in at the provider failed. Anyone can write a link, so that an unknown code shows nothing. */
function readAddressError(): SessionError | null {
  const code = new URLSearchParams(location.search).get(ERROR_NAME);
  if (code === null || !PROVIDER_ERRORS.has(code)) return null;
  return new SessionError(401, { code, error: 'Signing in failed' }, null);
}

/** The present page, to which a sign-in returns, without the reason of a former failure. */
function returnPath(): string {
  const parameters = new URLSearchParams(location.search);
  parameters.delete(ERROR_NAME);
  return `${location.pathname}?${parameters.toString()}`.replace(/\?$/, '');
}

/** The page for a browser without a session. */
export function SignIn({ methods, error }: { methods: SignInMethods; error: unknown }) {
  const failure = error ?? readAddressError();
  const code = (failure instanceof SessionError ? failure.code : null) ?? '';
  const hint = failure === error ? LINK_ERRORS[code] : PROVIDER_ERRORS.get(code);
  return (
    <main className={classes['page']}>
      <Card methods={methods}>
        {failure !== null && failure !== undefined && (
          <ErrorNotice error={failure} title="You are not signed in" hint={hint} />
        )}
      </Card>
    </main>
  );
}

/**
 * Covers the page of a session that has ended, so that what was typed there is kept. Nothing below it can be
 * read or reached.
 */
export function SessionEnd({ methods, onReturn }: { methods: SignInMethods; onReturn(): void }) {
  const queries = useQueryClient();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => {
      shown?.close();
      // What was read meanwhile failed.
      void queries.invalidateQueries();
    };
  }, [queries]);
  return (
    <dialog
      ref={dialog}
      className={classes['cover']}
      aria-label="Your session has ended"
      onCancel={(event) => event.preventDefault()}
    >
      <div className={classes['page']}>
        <Card methods={methods} isInNewTab>
          <Alert color="blue" icon={<Icon name="info" size={20} />} title="Your session has ended">
            <Stack gap="xs" align="flex-start">
              <Text size="sm">
                What you typed on this page is kept. Sign in again in another tab of this browser, then
                continue here.
              </Text>
              <Button size="compact-sm" onClick={onReturn}>
                Continue
              </Button>
            </Stack>
          </Alert>
        </Card>
      </div>
    </dialog>
  );
}

interface CardProps {
  methods: SignInMethods;
  /** Whether the provider opens in another tab. */
  isInNewTab?: boolean;
  /** Why the page is shown. */
  children: ReactNode;
}

function Card({ methods, isInNewTab, children }: CardProps) {
  const tab = isInNewTab === true ? { target: '_blank' } : {};
  return (
    <Paper className={classes['card']} withBorder radius="lg" p="xl" shadow="sm">
      <Stack gap="lg">
        <Stack gap={6}>
          <span className={classes['mark']}>
            <Icon name="gate" size={22} />
          </span>
          <Title order={1} size="h3">
            Sign in to Gatehouse
          </Title>
          <Text c="dimmed" size="sm">
            The console of your organization&apos;s dashboards, people and policies.
          </Text>
        </Stack>
        {children}
        {methods.oidc && (
          <Button component="a" href={providerAddress(returnPath())} {...tab} size="md" fullWidth>
            Sign in with your organization
          </Button>
        )}
        {methods.oidc && methods.code && <Divider label="or" labelPosition="center" />}
        {methods.code && <LinkExplanation />}
      </Stack>
    </Paper>
  );
}

function LinkExplanation() {
  return (
    <Stack gap="xs">
      <Text fw={600} size="sm" component="h2">
        With a one-time link
      </Text>
      <Text size="sm" c="dimmed">
        A link signs you in once, within ten minutes. The output of <code>npm start</code> has one. For
        another one, run this command in the same folder:
      </Text>
      <Code block className={classes['command'] ?? ''}>
        npm run gatehouse -- console --from .data/credentials.json
      </Code>
      <Text size="sm" c="dimmed">
        Or this one, where the command line is installed and signed in:
      </Text>
      <Code block className={classes['command'] ?? ''}>
        gatehouse console
      </Code>
    </Stack>
  );
}
