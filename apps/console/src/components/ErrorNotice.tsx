import { GatehouseError } from '@gatehouse/client';
import { Alert, Button, Code, Group, List, Stack, Text } from '@mantine/core';
import { describeError } from './describeError.js';
import { Icon } from './Icon.js';

interface Props {
  error: unknown;
  title?: string;
  /** In place of the message of the error. */
  message?: string | undefined;
  /** What to do about it. */
  hint?: string | undefined;
  onRetry?: () => void;
}

/** An error with its code, the id of its request, and the records that prevent a deletion. */
export function ErrorNotice({ error, title = 'This did not work', message, hint, onRetry }: Props) {
  const { code, requestId, ...described } = describeError(error);
  const blockedBy = error instanceof GatehouseError ? error.blockedBy : [];
  return (
    <Alert role="alert" color="red" variant="light" icon={<Icon name="warning" size={20} />} title={title}>
      <Stack gap="xs">
        <Text size="sm">{message ?? described.message}</Text>
        {hint !== undefined && <Text size="sm">{hint}</Text>}
        {blockedBy.length > 0 && (
          <List size="sm">
            {blockedBy.map(({ id, title: name }) => (
              <List.Item key={id}>{name}</List.Item>
            ))}
          </List>
        )}
        <Group gap="xs">
          {code !== null && <Code>{code}</Code>}
          {requestId !== null && (
            <Text size="xs" component="span">
              Request <Code>{requestId}</Code>
            </Text>
          )}
          {onRetry && (
            <Button size="compact-xs" variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}
