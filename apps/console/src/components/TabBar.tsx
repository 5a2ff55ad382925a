import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useUrlState } from '../data/urlState.js';
import classes from './TabBar.module.css';

export interface Tab {
  /** Its name in the address. */
  id: string;
  title: string;
  /** Drawn only while it is open. */
  content(): ReactNode;
}

/** The tabs of a record. The address holds the open one; the first is the default. */
export function TabBar({ tabs, label }: { tabs: readonly Tab[]; label: string }) {
  const [{ tab }, setState] = useUrlState();
  const open = tabs.find(({ id }) => id === tab) ?? tabs[0];
  if (open === undefined) return null;
  return (
    <Tabs
      value={open.id}
      onChange={(id) => setState({ tab: id === tabs[0]?.id || id === null ? undefined : id }, true)}
      keepMounted={false}
      className={classes['tabs']}
    >
      <Tabs.List aria-label={label} className={classes['list']}>
        {tabs.map(({ id, title }) => (
          <Tabs.Tab value={id} key={id}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={open.id} className={classes['panel']}>
        {open.content()}
      </Tabs.Panel>
    </Tabs>
  );
}
