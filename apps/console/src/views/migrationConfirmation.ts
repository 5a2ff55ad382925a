import type { MigrationAnalysis } from '@gatehouse/contract';
import { button, element } from '../dom.js';

/**
 * Requests confirmation, and runs the action only if the user confirms. Escape and the first button cancel.
 */
export function confirmMigration({ dashboard, targetProject }: MigrationAnalysis, onYes: () => void): void {
  const dialog = element('dialog', { 'aria-labelledby': 'confirmation' });
  const close = (): void => dialog.close();
  dialog.append(
    element('h2', { id: 'confirmation' }, `Copy ${dashboard.title} into ${targetProject.name}?`),
    element(
      'p',
      {},
      'This runs the steps of the plan now. ' +
        'They can be rolled back until one of the created records is changed.',
    ),
    element(
      'div',
      { class: 'row' },
      button('No, leave it', close),
      button('Yes, carry it out', () => {
        close();
        onYes();
      }),
    ),
  );
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
