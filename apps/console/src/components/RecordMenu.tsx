import { ActionIcon, Menu } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useApi, type Api } from '../data/api.js';
import { useCache } from '../data/useRecord.js';
import { ConfirmDelete } from './ConfirmDelete.js';
import { Icon } from './Icon.js';
import { notifyDone } from './notify.js';

interface Props {
  noun: string;
  name: string;
  /** The name of the lists and its id. */
  recordKey: readonly [string, string];
  listPath: string;
  /** Undefined if the user may not delete it. */
  remove?: ((api: Api) => Promise<unknown>) | undefined;
  /** What happens to what depends on it. */
  consequence: string;
  mustType?: boolean;
  /** Further items of the menu, before the deletion. */
  children?: ReactNode;
}

/** The menu of a record, which ends with its deletion. */
export function RecordMenu(props: Props) {
  const { noun, name, recordKey, listPath, remove, consequence, mustType, children } = props;
  const api = useApi();
  const cache = useCache();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const run = async () => {
    await remove?.(api);
    await navigate({ to: listPath });
    cache.forget(recordKey);
    await cache.outdate(recordKey[0]);
    notifyDone(`${name} was deleted`);
  };
  if (remove === undefined && !children) return null;
  return (
    <>
      <Menu width={210}>
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={`Actions on the ${noun}`}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {children}
          {remove && (
            <Menu.Item color="red" leftSection={<Icon name="trash" />} onClick={() => setOpen(true)}>
              Delete
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <ConfirmDelete
        name={name}
        isOpen={isOpen}
        {...(mustType ? { mustType } : {})}
        onClose={() => setOpen(false)}
        onConfirm={run}
      >
        {consequence} This cannot be undone.
      </ConfirmDelete>
    </>
  );
}
