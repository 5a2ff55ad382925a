import { Button, Code, Divider, Paper, Stack, Text, Title } from '@mantine/core';
import { ErrorNotice } from '../components/ErrorNotice.js';
import { Icon } from '../components/Icon.js';
import { providerAddress, SessionError, type SignInMethods } from './session.js';
import classes from './SignIn.module.css';

/** What an error of signing in means, by its code. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  UNAUTHENTICATED:
    'This link was already used, or it has expired. Create a new one and open it within ten minutes.',
  FORBIDDEN: 'Your account may not use the console. Contact an ADMIN of your organization.',
  RATE_LIMITED: 'Too many attempts. Wait a minute and try again.',
  UNAVAILABLE: 'Gatehouse cannot sign you in at the moment. Try again shortly.',
};

/** The reason that the provider's sign-in ended with, which the gateway adds to the address. */
function readAddressError(): SessionError | null {
  const parameters = new URLSearchParams(location.search);
  const code = parameters.get('error');
  return code === null
    ? null
    : new SessionError(401, { code, error: 'Signing in failed' }, parameters.get('requestId'));
}

/** The page for a browser without a session. */
export function SignIn({ methods, error }: { methods: SignInMethods; error: unknown }) {
  const failure = error ?? readAddressError();
  const code = failure instanceof SessionError ? failure.code : null;
  return (
    <main className={classes['page']}>
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
          {failure !== null && failure !== undefined && (
            <ErrorNotice error={failure} title="You are not signed in" hint={EXPLANATIONS[code ?? '']} />
          )}
          {methods.oidc && (
            <Button
              component="a"
              href={providerAddress(location.pathname + location.search)}
              size="md"
              fullWidth
            >
              Sign in with your organization
            </Button>
          )}
          {methods.oidc && methods.code && <Divider label="or" labelPosition="center" />}
          {methods.code && <LinkExplanation />}
        </Stack>
      </Paper>
    </main>
  );
}

function LinkExplanation() {
  return (
    <Stack gap="xs">
      <Text fw={600} size="sm" component="h2">
        With a one-time link
      </Text>
      <Text size="sm" c="dimmed">
        Run this command where the project secret is available, and open the link that it prints:
      </Text>
      <Code block>gatehouse console</Code>
      <Text size="sm" c="dimmed">
        The link signs you in once, within ten minutes. <code>npm start</code> prints one as well.
      </Text>
    </Stack>
  );
}
