import type { Page } from '@gatehouse/testing';
import { expect } from 'vitest';

type Element = ReturnType<Page['locator']>;

/** More than any screen has. */
const STOPS_MAX = 150;

/** More than a small dialog has, in both directions. */
const FORWARD = Array.from({ length: 5 }, () => 'Tab');
const BACKWARD = Array.from({ length: 6 }, () => 'Shift+Tab');

/** Also of an editor, which has a root of its own. */
const hasFocus = (target: Element) => target.evaluate((element) => element.matches(':focus'));

/** Where an element is now: finding it by its name again takes longer than pressing a key. */
async function find(target: Element) {
  // A radio button of a segmented control is hidden below its label.
  await target.waitFor({ state: 'attached' });
  const element = await target.elementHandle();
  if (element === null) throw new Error(`${String(target)} is missing`);
  return element;
}

/** Presses a key until an element has the focus, as a person without a mouse does. */
export async function tabTo(page: Page, target: Element, key = 'Tab'): Promise<void> {
  let element = await find(target);
  for (let stops = 0; stops < STOPS_MAX; stops += 1) {
    const hasFocusNow = await element.evaluate((node) => (node.isConnected ? node.matches(':focus') : null));
    if (hasFocusNow === true) return;
    if (hasFocusNow === null) element = await find(target);
    else await page.keyboard.press(key);
  }
  throw new Error(`${key} does not reach ${String(target)}`);
}

/** Opens what a link, a button or a menu item leads to. */
export async function press(page: Page, target: Element): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

/** Replaces the text of a field. */
export async function enter(page: Page, target: Element, text: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
}

/** Expects that Tab stays in a dialog, in both directions. */
export async function expectTrap(page: Page, dialog: Element): Promise<void> {
  const isInside = () => dialog.evaluate((element) => element.contains(element.ownerDocument.activeElement));
  await expect.poll(isInside).toBe(true);
  for (const key of [...FORWARD, ...BACKWARD]) {
    await page.keyboard.press(key);
    expect(await isInside()).toBe(true);
  }
}

/** Expects that an element has the focus, or gets it when an animation has ended. */
export async function expectFocus(target: Element): Promise<void> {
  await expect.poll(() => hasFocus(target)).toBe(true);
}
