import { type Items, parseItems, serializeItems } from './items.ts'

/** The additional type in clipboard events, beside `text/plain`. */
const MIME = 'application/vnd.daybook.items+json'
/** The key in the session storage for copied items, since a page may be permitted to write the clipboard, but not to read it. */
const STORAGE_KEY = 'daybook-studio-items'

/** Copies items to the clipboard and the session storage. */
export function copyItems(items: Items): void {
  const text = serializeItems(items)
  storeInSession(text)
  // Without permission, the session storage still has them.
  navigator.clipboard?.writeText(text).catch(() => undefined)
}

export function copyItemsByEvent(data: DataTransfer, items: Items): void {
  const text = serializeItems(items)
  storeInSession(text)
  data.setData(MIME, text)
  data.setData('text/plain', text)
}

export async function readCopiedItems(): Promise<Items | undefined> {
  const read = async (): Promise<string> => (await navigator.clipboard?.readText()) ?? ''
  return parseItems(await read().catch(() => '')) ?? readFromSession()
}

export const readPastedItems = (data: DataTransfer): Items | undefined =>
  parseItems(data.getData(MIME) || data.getData('text/plain'))

function storeInSession(text: string): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, text)
  } catch {
    // The storage is full, but the clipboard has the items.
  }
}

const readFromSession = (): Items | undefined => parseItems(sessionStorage.getItem(STORAGE_KEY) ?? '')
