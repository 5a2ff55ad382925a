import type { MigrationAnalysis } from '@gatehouse/contract';
import { button, element } from '../dom.js';

/** Asks in plain words, and does it only when the answer is yes. Escape and the first button are no. */
export function confirmMigration({ dashboard, targetProject }: MigrationAnalysis, onYes: () => void): void {
  const dialog = element('dialog', { 'aria-labelledby': 'confirmation' });
  const close = (): void => dialog.close();
  dialog.append(
    element('h2', { id: 'confirmation' }, `Copy ${dashboard.title} into ${targetProject.name}?`),
    element(
      'p',
      {},
      'The steps of the plan are carried out now. They can be rolled back until somebody changes what they made.',
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
