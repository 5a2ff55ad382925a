/**
 * Light or dark as in the system settings, until the button is pressed. The choice is not kept: the page
 * stores nothing.
 */
export function followTheme(toggle: HTMLElement): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const root = document.documentElement;
  const isDark = (): boolean => (root.dataset['theme'] ?? (system.matches ? 'dark' : 'light')) === 'dark';
  const update = (): void => {
    toggle.textContent = isDark() ? 'Light colours' : 'Dark colours';
  };
  toggle.addEventListener('click', () => {
    root.dataset['theme'] = isDark() ? 'light' : 'dark';
    update();
  });
  system.addEventListener('change', update);
  update();
}
