import type { Page } from 'playwright-core'

/** The longest way by Tab from one control to another. */
const MOST_PRESSES = 60

/** What has the focus is called: its label, or what it says. */
const FOCUSED = `(() => {
  const one = document.activeElement
  const by = one.getAttribute('aria-labelledby')?.split(' ').map((id) => document.getElementById(id)?.textContent).join(' ')
  return one.getAttribute('aria-label') ?? by ?? one.labels?.[0]?.textContent ?? one.textContent ?? ''
})()`

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
    await this.#page.getByRole('menuitem', { name: item }).waitFor()
    await this.#go(item, 'ArrowDown')
    await this.press('Enter')
  }

  async #go(name: string, key: string): Promise<void> {
    const seen: string[] = []
    for (let presses = 0; presses < MOST_PRESSES; presses += 1) {
      const focused = await this.#page.evaluate<string>(FOCUSED)
      if (focused.startsWith(name)) return
      seen.push(focused.slice(0, 30))
      await this.press(key)
    }
    throw new Error(`no ${key} leads to ${name}: ${seen.join(', ')}`)
  }
}
