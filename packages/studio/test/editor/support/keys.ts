import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { focusedName, goTo, NAME } from '../../support/by-keyboard.ts'

/** What everything is called that can have the focus. */
const FOCUSABLE = `Array.from(document.querySelectorAll('a, button, input, textarea, select, [tabindex], [contenteditable]'), ${NAME})`

/** Uses a page by keyboard alone. */
export class Keys {
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
  }

  press(...keys: readonly string[]): Promise<void> {
    return keys.reduce((before, key) => before.then(() => this.#page.keyboard.press(key)), Promise.resolve())
  }

  type(text: string): Promise<void> {
    return this.#page.keyboard.type(text)
  }

  /** Takes the place of what a field says. */
  async write(text: string): Promise<void> {
    await this.press('ControlOrMeta+a')
    await this.type(text)
  }

  /** Goes on until something whose name begins so has the focus. */
  to(name: string): Promise<void> {
    return this.#go(name, 'Tab')
  }

  /** Goes back until something whose name begins so has the focus. */
  backTo(name: string): Promise<void> {
    return this.#go(name, 'Shift+Tab')
  }

  /** Goes to an item of the menu that is open, and takes it. */
  async choose(item: string): Promise<void> {
    await this.#page.getByRole('menuitem', { name: item, exact: true }).waitFor()
    await this.#go(item, 'ArrowDown')
    await this.press('Enter')
  }

  async #go(name: string, key: string): Promise<void> {
    await this.#isThere(name)
    if (!(await focusedName(this.#page)).startsWith(name)) await goTo(this.#page, name, key)
  }

  /** Parts of a page come when they are loaded. */
  async #isThere(name: string): Promise<void> {
    const isThere = async (): Promise<boolean> =>
      (await this.#page.evaluate<readonly string[]>(FOCUSABLE)).some((one) => one.startsWith(name))
    await expect.poll(isThere, { timeout: 30_000, message: `something called ${name}` }).toBe(true)
  }
}
