import type { Page } from 'playwright-core'

/** The content of a clipboard, by type. */
export type ClipboardContent = Readonly<Record<string, string>>

/** Pastes into the focused element, as a browser does after the keys for it. */
export const paste = (page: Page, content: ClipboardContent): Promise<void> =>
  page.evaluate(`(() => {
    const clipboardData = new DataTransfer()
    for (const [type, text] of Object.entries(${JSON.stringify(content)})) clipboardData.setData(type, text)
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  })()`)

/** Copies the selection of the focused element. @returns what the page puts into the clipboard */
export const copy = (page: Page): Promise<ClipboardContent> =>
  page.evaluate<ClipboardContent>(`(() => {
    const clipboardData = new DataTransfer()
    document.activeElement.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true }))
    return Object.fromEntries([...clipboardData.types].map((type) => [type, clipboardData.getData(type)]))
  })()`)
