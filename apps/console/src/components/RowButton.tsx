import { UnstyledButton } from '@mantine/core';
import classes from './RecordTable.module.css';

interface Props {
  /** The whole name, or another text that explains it. */
  title: string;
  children: string;
  onClick(): void;
}

/** The name in a row that opens its record beside the list. If it is too long, it ends with an ellipsis. */
export function RowButton({ title, children, onClick }: Props) {
  return (
    <UnstyledButton className={classes['open']} fz="sm" fw={500} dir="auto" title={title} onClick={onClick}>
      {children}
    </UnstyledButton>
  );
}
