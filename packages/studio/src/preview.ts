/** What a page learns when the entry that it previews has been saved. */
export interface PreviewChange {
  /** The id of the entry. */
  readonly id: string
  /** Equal for equal versions of the entry. */
  readonly revision: string
  /** Shows the working copy, in place of the token in the page's address; absent where the collection has no working copies. */
  readonly token?: string
}

/** How a page is joined to the Studio that shows it. */
export interface PreviewOptions {
  /** The origin that the Studio is at, such as `https://cms.example.org`. Nothing else is listened to, or told anything. */
  readonly studioOrigin: string
}

/** What this module uses of a window. */
interface PreviewWindow {
  readonly parent: PreviewWindow
  readonly opener: PreviewWindow | null
  addEventListener(type: 'message', listener: (event: PreviewMessageEvent) => void): void
  removeEventListener(type: 'message', listener: (event: PreviewMessageEvent) => void): void
  postMessage(message: unknown, targetOrigin: string): void
}

interface PreviewMessageEvent {
  readonly source: unknown
  readonly origin: string
  readonly data: unknown
}

/** The version of the protocol (docs/preview.md). */
const VERSION = 1

/**
 * Listens to the Studio that shows this page, in a frame or from the tab that opened it: after each save, the listener fetches the entry
 * again. A page that is visited by itself hears nothing.
 *
 * @example
 * ```ts
 * const stop = onPreviewChange({ studioOrigin: 'https://cms.example.org' }, ({ token }) => show(token))
 * ```
 *
 * @returns stops listening
 * @throws {TypeError} when `studioOrigin` is no origin
 */
export function onPreviewChange(
  { studioOrigin }: PreviewOptions,
  listener: (change: PreviewChange) => void,
): () => void {
  if (!isOrigin(studioOrigin)) {
    throw new TypeError(`studioOrigin is ${studioOrigin}; write an origin, such as https://cms.example.org`)
  }
  const page = globalThis as unknown as PreviewWindow
  const studio = page.parent === page ? page.opener : page.parent
  if (!studio) return () => {}
  const hear = ({ source, origin, data }: PreviewMessageEvent): void => {
    if (source !== studio || origin !== studioOrigin || !isChange(data)) return
    const { id, revision, token } = data
    listener({ id, revision, ...(token === undefined ? {} : { token }) })
  }
  page.addEventListener('message', hear)
  studio.postMessage({ type: 'daybook:preview-ready', version: VERSION }, studioOrigin)
  return () => page.removeEventListener('message', hear)
}

const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text

function isChange(data: unknown): data is PreviewChange {
  if (typeof data !== 'object' || data === null) return false
  const { type, version, id, revision, token } = data as Readonly<Record<string, unknown>>
  const isText = [id, revision, token ?? ''].every((one) => typeof one === 'string')
  return type === 'daybook:preview-change' && version === VERSION && isText
}
