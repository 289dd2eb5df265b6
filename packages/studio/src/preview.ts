/** A change of the previewed entry, sent after each save. */
export interface PreviewChange {
  readonly id: string
  /** Identifies the version of the entry; equal revisions have equal content. */
  readonly revision: string
  /** The preview token that shows the draft, replacing the token in the page's URL; absent if the collection has no drafts. */
  readonly token?: string
}

/** Options of `onPreviewChange()`. */
export interface PreviewOptions {
  /** The origin of the Studio, such as `https://cms.example.org`. Messages are exchanged with no other origin. */
  readonly studioOrigin: string
}

/** The part of `Window` that this module uses. */
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

/** The version of the protocol (docs/guides/studio.md). */
const VERSION = 1

/**
 * Calls a listener after each save in the Studio that shows this page in a frame, or that opened its tab. The listener fetches the entry
 * again. Outside the Studio, the listener is never called.
 *
 * @example
 * ```ts
 * const stop = onPreviewChange({ studioOrigin: 'https://cms.example.org' }, ({ token }) => show(token))
 * ```
 *
 * @returns a function that stops listening
 * @throws {TypeError} if `studioOrigin` is no origin
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
  const receive = ({ source, origin, data }: PreviewMessageEvent): void => {
    if (source !== studio || origin !== studioOrigin || !isChange(data)) return
    const { id, revision, token } = data
    listener({ id, revision, ...(token === undefined ? {} : { token }) })
  }
  page.addEventListener('message', receive)
  studio.postMessage({ type: 'daybook:preview-ready', version: VERSION }, studioOrigin)
  return () => page.removeEventListener('message', receive)
}

const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text

function isChange(data: unknown): data is PreviewChange {
  if (typeof data !== 'object' || data === null) return false
  const { type, version, id, revision, token } = data as Readonly<Record<string, unknown>>
  const isText = [id, revision, token ?? ''].every((value) => typeof value === 'string')
  return type === 'daybook:preview-change' && version === VERSION && isText
}
