import type { Page } from 'playwright-core'

/** More than any page has things to go to before the one that is meant. */
const MAX_PRESSES = 90

const FOCUSED = `{
  const focused = document.activeElement
  const named = focused.getAttribute('aria-label') ?? focused.labels?.[0]?.textContent ?? focused.textContent ?? ''
  focused === document.body ? '' : named.trim()
}`

/** Goes on until something whose name begins so has the focus. @param key `Tab`, `Shift+Tab`, or an arrow inside a menu */
export async function goTo(page: Page, name: string, key = 'Tab'): Promise<void> {
  const seen: string[] = []
  for (let presses = 0; presses < MAX_PRESSES; presses += 1) {
    const focused = await page.evaluate<string>(FOCUSED)
    if (presses > 0 && focused.startsWith(name)) return
    seen.push(focused.slice(0, 30))
    await page.keyboard.press(key)
  }
  throw new Error(`no ${key} leads to ${name}: ${seen.join(', ')}`)
}

/** Goes to something with a name, and presses Enter on it. */
export async function enter(page: Page, name: string, key = 'Tab'): Promise<void> {
  await goTo(page, name, key)
  await page.keyboard.press('Enter')
}
