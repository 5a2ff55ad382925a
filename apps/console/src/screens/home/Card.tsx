import { Anchor, Badge, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import { Icon, type IconName } from '../../components/Icon.js';
import type { UrlState } from '../../data/urlState.js';
import classes from './Home.module.css';

interface Props<T> {
  title: string;
  icon: IconName;
  query: { data: T | undefined; error: unknown; refetch(): unknown };
  /** How many things need attention. */
  countOf?(data: T): number;
  /** What is shown if there are none. */
  none: string;
  isWide?: boolean;
  children(data: T): ReactNode;
  /** What is shown below, also if none needs attention. */
  footer?(data: T): ReactNode;
}

/** A part of the start page with its own requests: one that fails does not affect the others. */
export function Card<T>({ title, icon, query, countOf, none, isWide, children, footer }: Props<T>) {
  const { data, error, refetch } = query;
  const count = data === undefined || countOf === undefined ? null : countOf(data);
  return (
    <section className={`${classes['card']} ${isWide ? classes['wide'] : ''}`} aria-label={title}>
      <div className={classes['head']}>
        <Icon name={icon} size={18} />
        <Title order={2} size="h5">
          {title}
        </Title>
        {count !== null && count > 0 && <Badge color="red">{count.toLocaleString('en')}</Badge>}
      </div>
      {error !== null && data === undefined && (
        <ErrorNotice error={error} title="This could not be read" onRetry={() => void refetch()} />
      )}
      {error === null && data === undefined && (
        <Stack gap="xs" aria-label={`Reading: ${title}`} aria-busy="true" role="group">
          <Skeleton height={10} />
          <Skeleton height={10} width="70%" />
        </Stack>
      )}
      {data !== undefined && count === 0 && (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      )}
      {data !== undefined && count !== 0 && children(data)}
      {data !== undefined && footer?.(data)}
    </section>
  );
}

/** A link to what a line of a card is about. */
export function CardLink({
  to,
  search = {},
  children,
}: {
  to: string;
  search?: UrlState;
  children: ReactNode;
}) {
  return (
    <Anchor component={Link} to={to} search={search as never} size="sm" dir="auto">
      {children}
    </Anchor>
  );
}

/** The lines of a card. */
export const List = ({ children }: { children: ReactNode }) => (
  <ul className={classes['list']}>{children}</ul>
);

/** What a card did not read, or what its lines mean. */
export const Limit = ({ children }: { children: ReactNode }) => (
  <Text size="xs" c="dimmed" mt="xs">
    {children}
  </Text>
);
