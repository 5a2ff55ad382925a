import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './Icon.js';
import classes from './EmptyState.module.css';

interface Props {
  icon?: IconName;
  title: string;
  /** What appears here, and how. */
  children?: ReactNode;
  action?: ReactNode;
}

/** What a list shows that has no items. */
export function EmptyState({ icon = 'empty', title, children, action }: Props) {
  return (
    <Stack align="center" gap="xs" className={classes['empty']}>
      <span className={classes['icon']}>
        <Icon name={icon} size={24} />
      </span>
      <Title order={2} size="h5">
        {title}
      </Title>
      {children !== undefined && (
        <Text size="sm" c="dimmed" maw={420} ta="center" component="div">
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}
