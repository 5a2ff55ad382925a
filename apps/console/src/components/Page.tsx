import type { ReactNode } from 'react';
import classes from './Page.module.css';

/** The body of a screen that is not a list: a column, beside an optional one with facts. */
export function Page({ children, aside }: { children: ReactNode; aside?: ReactNode }) {
  return (
    <div className={classes['page']}>
      <div className={classes['main']}>{children}</div>
      {aside !== undefined && (
        <aside className={classes['aside']} aria-label="Facts">
          {aside}
        </aside>
      )}
    </div>
  );
}

/** The name of a fact about a record, and its value. */
export type Fact = readonly [string, ReactNode];

/** A list of facts about a record. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={classes['facts']}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
