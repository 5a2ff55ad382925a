import { Avatar, Kbd, Menu, ScrollArea, UnstyledButton } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Icon } from '../components/Icon.js';
import { notifyError } from '../components/notify.js';
import { useUrlState } from '../data/urlState.js';
import { signOut } from '../session/session.js';
import { useHasRole, useSession } from '../session/SessionContext.js';
import { navigation, type NavigationItem } from './navigation.js';
import { SchemeMenu } from './SchemeMenu.js';
import classes from './Sidebar.module.css';

/** The project, the search, the pages and the user. */
export function Sidebar({ onSearch }: { onSearch: () => void }) {
  return (
    <div className={classes['sidebar']}>
      <ProjectMenu />
      <UnstyledButton className={classes['search']} onClick={onSearch}>
        <Icon name="search" />
        <span>Search…</span>
        <Kbd size="xs">Ctrl K</Kbd>
      </UnstyledButton>
      <ScrollArea className={classes['pages']} type="hover" scrollbarSize={6}>
        <nav aria-label="Pages">
          {navigation.map(({ title, items }) => (
            <Group key={title} title={title} items={items} />
          ))}
        </nav>
      </ScrollArea>
      <UserMenu />
    </div>
  );
}

function Group({ title, items }: { title: string; items: readonly NavigationItem[] }) {
  const isVisible = {
    VIEWER: true,
    POWER_USER: useHasRole('POWER_USER'),
    AUTHOR: useHasRole('AUTHOR'),
    ADMIN: useHasRole('ADMIN'),
  };
  const visible = items.filter(({ role }) => isVisible[role]);
  if (visible.length === 0) return null;
  return (
    <section className={classes['group']}>
      <h2 className={classes['heading']}>{title}</h2>
      <ul className={classes['list']}>
        {visible.map(({ to, icon, title: name }) => (
          <li key={to}>
            <Link
              to={to}
              className={classes['link']}
              activeOptions={{ exact: to === '/', includeSearch: false }}
              activeProps={{ 'aria-current': 'page' }}
            >
              <Icon name={icon} />
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ProjectMenu() {
  const { user, project, projects } = useSession();
  const [, setState] = useUrlState();
  return (
    <Menu position="bottom-start" width={240}>
      <Menu.Target>
        <UnstyledButton className={classes['project']}>
          <span className={classes['mark']}>
            <Icon name="gate" size={18} />
          </span>
          <span className={classes['names']}>
            <span className={classes['organization']}>{user.organizationName}</span>
            <span className={classes['projectName']}>{project.name}</span>
          </span>
          <Icon name="down" size={14} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Projects</Menu.Label>
        {projects.map(({ id, name }) => (
          <Menu.Item
            key={id}
            onClick={() => setState({ project: id }, true)}
            rightSection={id === project.id ? <Icon name="check" size={14} /> : undefined}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function UserMenu() {
  const { user, csrfToken } = useSession();
  const queries = useQueryClient();
  const leave = () => {
    signOut(csrfToken).then(
      () => {
        queries.clear();
        location.reload();
      },
      (error: unknown) => notifyError(error, 'Signing out failed'),
    );
  };
  return (
    <Menu position="top-start" width={220}>
      <Menu.Target>
        <UnstyledButton className={classes['user']}>
          <Avatar size={28} radius="xl" name={user.name} color="indigo" aria-hidden />
          <span className={classes['names']}>
            <span className={classes['projectName']}>{user.name}</span>
            <span className={classes['organization']}>{user.tenantName ?? user.email}</span>
          </span>
          <Icon name="more" size={16} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <SchemeMenu />
        <Menu.Divider />
        <Menu.Item
          leftSection={<Icon name="external" />}
          component="a"
          href="/docs"
          target="_blank"
          rel="noopener"
        >
          API reference
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="out" />} onClick={leave}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
