import type { Page } from 'playwright-core'

/** How long a control may take to come, or to be enabled: a dialog asks the service before it lets go. */
const PATIENCE_MS = 30_000

/** What an element is called: its label, or what it says. */
export const NAME = `(one) => {
  const by = one.getAttribute('aria-labelledby')?.split(' ').map((id) => document.getElementById(id)?.textContent).join(' ')
  return (one.getAttribute('aria-label') ?? by ?? one.labels?.[0]?.textContent ?? one.textContent ?? '').trim()
}`
const FOCUSED = `document.activeElement === document.body ? '' : (${NAME})(document.activeElement)`

/** How what has the focus is called; empty when nothing has it. */
export const focusedName = (page: Page): Promise<string> => page.evaluate<string>(FOCUSED)

/** Goes on until something else whose name begins so has the focus. @param key `Tab`, `Shift+Tab`, or an arrow inside a menu */
export async function goTo(page: Page, name: string, key = 'Tab'): Promise<void> {
  const seen = new Set<string>()
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; ) {
    await page.keyboard.press(key)
    const focused = await focusedName(page)
    if (focused.startsWith(name)) return
    seen.add(focused.slice(0, 30))
  }
  throw new Error(`no ${key} leads to ${name}: ${[...seen].join(', ')}`)
}

/** Goes to something with a name, and presses Enter on it. */
export async function enter(page: Page, name: string, key = 'Tab'): Promise<void> {
  await goTo(page, name, key)
  await page.keyboard.press('Enter')
}
