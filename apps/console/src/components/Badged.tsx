import type { ReactNode } from 'react';
import classes from './Badged.module.css';

/** A name with badges in a cell. The name is cut if both do not fit, because a badge may be a warning. */
export function Badged({ children }: { children: ReactNode }) {
  return <span className={classes['badged']}>{children}</span>;
}
