import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import { Icon } from './Icon.js';
import classes from './IdCopy.module.css';

interface Props {
  value: string;
  /** A short form of it that is shown instead. */
  shown?: string;
  /** What is copied, such as "the id". */
  label?: string;
  /** Whether only the button is shown, beside a name. */
  isButtonOnly?: boolean;
  /** Whether a dialog begins with it. */
  isFirst?: boolean;
}

/** An id, or a secret, with a button that copies it. */
export function IdCopy({ value, shown = value, label = 'the id', isButtonOnly = false, isFirst }: Props) {
  return (
    <span className={classes['id']}>
      {!isButtonOnly && <code className={classes['text']}>{shown}</code>}
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : `Copy ${label}`} openDelay={300}>
            <ActionIcon
              size="sm"
              variant="subtle"
              color={copied ? 'teal' : 'gray'}
              aria-label={copied ? `Copied ${label}` : `Copy ${label}`}
              onClick={copy}
              data-autofocus={isFirst}
            >
              <Icon name={copied ? 'check' : 'copy'} size={14} />
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </span>
  );
}
