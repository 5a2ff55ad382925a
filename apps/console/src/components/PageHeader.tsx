import { Anchor, Breadcrumbs, Group, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import { Icon } from './Icon.js';
import classes from './PageHeader.module.css';

interface Props {
  title: string;
  /** The pages above this one. */
  path?: readonly { title: string; to: string }[];
  /** Badges beside the title. */
  badges?: ReactNode;
  /** A line below the title. */
  detail?: ReactNode;
  /** The primary action at last. */
  actions?: ReactNode;
}

/** The head of a screen; its title is that of the document. */
export function PageHeader({ title, path = [], badges, detail, actions }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} – Gatehouse`;
    // A navigation leaves the focus on the screen. The title is announced, and Tab continues there.
    if (document.activeElement?.id === 'main') heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <header className={classes['header']}>
      {path.length > 0 && (
        <nav aria-label="Breadcrumbs">
          <Breadcrumbs separator={<Icon name="chevron" size={12} />} separatorMargin={6}>
            {path.map((page) => (
              <Anchor key={page.to} component={Link} to={page.to} size="sm" c="dimmed">
                {page.title}
              </Anchor>
            ))}
          </Breadcrumbs>
        </nav>
      )}
      <div className={classes['line']}>
        <div className={classes['title']}>
          <Title
            ref={heading}
            order={1}
            size="h3"
            className={classes['name']}
            tabIndex={-1}
            dir="auto"
            title={title}
          >
            {title}
          </Title>
          {badges}
        </div>
        <Group gap="xs" wrap="nowrap" className={classes['actions']}>
          {actions}
        </Group>
      </div>
      {detail !== undefined && <div className={classes['detail']}>{detail}</div>}
    </header>
  );
}
