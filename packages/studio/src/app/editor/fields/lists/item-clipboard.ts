import type { Items } from './items.ts'
import { parseItems, serializeItems } from './items.ts'

/** The type beside `text/plain` in events of the clipboard. */
const MIME = 'application/vnd.daybook.items+json'
/** Where items are kept as well: a page may write to the clipboard of the system, and not read it. */
const MEMORY = 'daybook-studio-items'

/** Copies items, for any entry in any tab. */
export function copyItems(items: Items): void {
  const text = serializeItems(items)
  remember(text)
  // Without the permission, the tab remembers it.
  navigator.clipboard?.writeText(text).catch(() => undefined)
}

/** Copies items when the keys for it are pressed. */
export function copyItemsByEvent(data: DataTransfer, items: Items): void {
  const text = serializeItems(items)
  remember(text)
  data.setData(MIME, text)
  data.setData('text/plain', text)
}

/** The items that were copied last; `undefined`: none were. */
export async function readCopiedItems(): Promise<Items | undefined> {
  const read = async (): Promise<string> => (await navigator.clipboard?.readText()) ?? ''
  return parseItems(await read().catch(() => '')) ?? remembered()
}

/** The items that the keys for pasting bring; `undefined`: none. */
export const readPastedItems = (data: DataTransfer): Items | undefined =>
  parseItems(data.getData(MIME) || data.getData('text/plain'))

function remember(text: string): void {
  try {
    sessionStorage.setItem(MEMORY, text)
  } catch {
    // It is full; the clipboard of the system has it.
  }
}

const remembered = (): Items | undefined => parseItems(sessionStorage.getItem(MEMORY) ?? '')
