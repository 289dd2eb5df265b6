import type { BrowserContextOptions, Page } from 'playwright-core'
import { WAIT_TIMEOUT_MS } from '../../../daybook/test/support/timeouts.ts'

/** A way to use the Studio. Journeys run once with each, on a screen of its size. */
export interface InputDevice {
  readonly name: 'keyboard' | 'touch'
  readonly screen: BrowserContextOptions
  /** Activates the control whose accessible name begins with `name`. */
  activate(page: Page, name: string): Promise<void>
  /** Activates an item of the menu that is open. */
  choose(page: Page, item: string): Promise<void>
  /** Replaces the text of the field whose label begins with `field`. */
  write(page: Page, field: string, text: string): Promise<void>
  select(page: Page, field: string, option: string): Promise<void>
  /** Ticks a checkbox, or clears it. */
  tick(page: Page, name: string): Promise<void>
}

/** Matches names that begin with `name` as whole words: "Publish (2)", and not "Published", begins with "Publish". */
const beginningWith = (name: string): RegExp =>
  new RegExp(`^${name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}(?!\\p{L})`, 'u')

/** A function of the page that returns the accessible name of an element. */
const GET_NAME = `(element) => {
  const getText = (part) => [...(part?.childNodes ?? [])].map((child) => child.textContent).join(' ')
  const labels = element.getAttribute('aria-labelledby')?.split(' ').map((id) => getText(document.getElementById(id)))
  const name = element.getAttribute('aria-label') ?? labels?.join(' ')
  return (name ?? (element.labels?.[0] ? getText(element.labels[0]) : getText(element))).trim()
}`

/**
 * A function of the page that returns the key that moves the focus from the current control to the one with a name, if any.
 * A dialog that has the focus is not a control, although its title may begin with the name of its button.
 */
const GET_NEXT_KEY = `(pattern) => {
  const hasName = (element) => element.getAttribute('role') !== 'dialog' && pattern.test((${GET_NAME})(element))
  const focused = document.activeElement
  if (focused !== document.body && hasName(focused)) return 'none'
  const controls = [...document.querySelectorAll('a, button, input, textarea, select, [tabindex], [contenteditable]')]
  const targets = controls.filter(hasName)
  const isLater = (target) => (focused.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
  return targets.length === 0 ? 'absent' : targets.some(isLater) ? 'Tab' : 'Shift+Tab'
}`

/** Moves the focus, control by control, to one whose name begins with `name`. */
async function moveFocus(page: Page, name: string, keyInMenu?: string): Promise<void> {
  const visited = new Set<string>()
  for (const end = Date.now() + WAIT_TIMEOUT_MS; Date.now() < end; ) {
    const key = await page.evaluate<string>(`(${GET_NEXT_KEY})(${beginningWith(name)})`)
    if (key === 'none') return
    // A control that is absent may still be loading.
    if (key === 'absent') await page.getByText(name).or(page.getByLabel(name)).first().waitFor({ state: 'attached' })
    else await page.keyboard.press(keyInMenu ?? key)
    visited.add(await page.evaluate<string>(`(${GET_NAME})(document.activeElement).slice(0, 30)`))
  }
  throw new Error(`no key leads to ${name}, only to ${[...visited].join(', ')}`)
}

/** Uses no pointer at all. */
const keyboard: InputDevice = {
  name: 'keyboard',
  screen: {},
  async activate(page, name) {
    await moveFocus(page, name)
    await page.keyboard.press('Enter')
  },
  async choose(page, item) {
    await page.getByRole('menuitem', { name: item, exact: true }).waitFor()
    await moveFocus(page, item, 'ArrowDown')
    await page.keyboard.press('Enter')
  },
  async write(page, field, text) {
    await moveFocus(page, field)
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(text)
  },
  async select(page, field, option) {
    await moveFocus(page, field)
    await page.keyboard.type(option)
  },
  async tick(page, name) {
    await moveFocus(page, name)
    await page.keyboard.press('Space')
  },
}

/** Uses a phone by taps; its keyboard inserts texts. */
const touch: InputDevice = {
  name: 'touch',
  screen: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
  async activate(page, name) {
    const options = { name: beginningWith(name) }
    const control = page.getByRole('button', options).or(page.getByRole('link', options))
    await control.and(page.locator(':not([inert] *)')).first().tap()
  },
  choose: (page, item) => page.getByRole('menuitem', { name: item, exact: true }).tap(),
  async write(page, field, text) {
    const fields = page.locator(':is(input, textarea):not([inert] *)')
    await page.getByLabel(beginningWith(field)).and(fields).first().tap()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText(text)
  },
  async select(page, field, option) {
    await page.getByRole('combobox', { name: field }).selectOption({ label: option })
  },
  tick: (page, name) => page.getByRole('checkbox', { name }).tap(),
}

export const INPUT_DEVICES: readonly InputDevice[] = [keyboard, touch]
