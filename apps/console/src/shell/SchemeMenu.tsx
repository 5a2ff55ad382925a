import { Menu, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { Icon } from '../components/Icon.js';

const SCHEMES: readonly { scheme: MantineColorScheme; title: string; icon: 'sun' | 'moon' | 'session' }[] = [
  { scheme: 'light', title: 'Light', icon: 'sun' },
  { scheme: 'dark', title: 'Dark', icon: 'moon' },
  { scheme: 'auto', title: 'As the system', icon: 'session' },
];

/** The choice of colours, for a menu. */
export function SchemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <Menu.Label>Colours</Menu.Label>
      {SCHEMES.map(({ scheme, title, icon }) => (
        <Menu.Item
          key={scheme}
          leftSection={<Icon name={icon} />}
          rightSection={scheme === colorScheme ? <Icon name="check" size={14} /> : undefined}
          onClick={() => setColorScheme(scheme)}
          closeMenuOnClick={false}
        >
          {title}
        </Menu.Item>
      ))}
    </>
  );
}
