/** The state of an entry that its page receives. */
export interface PreviewState {
  readonly id: string
  readonly revision: string
  readonly token: string | undefined
}

/** The part of the page's `Window` that a link uses. */
export interface PreviewTarget {
  postMessage(message: unknown, targetOrigin: string): void
}

/** The part of a `MessageEvent` that a link uses. */
export interface PreviewEvent {
  readonly source: unknown
  readonly origin: string
  readonly data: unknown
}

/** The version of the protocol (docs/guides/studio.md). */
const VERSION = 1

/** Sends saves of one entry to its page, once the page has reported that it is ready. */
export class PreviewLink {
  readonly #origin: string
  readonly #target: () => PreviewTarget | null
  #isReady = false
  #state: PreviewState

  /**
   * @param origin the origin of the page; messages from and to other origins are dropped
   * @param target returns the window of the page, or `null` once it is closed
   */
  constructor(origin: string, target: () => PreviewTarget | null, state: PreviewState) {
    this.#origin = origin
    this.#target = target
    this.#state = state
  }

  /** Handles a message. Once the page reports that it is ready, sends the current state. */
  handleMessage({ source, origin, data }: PreviewEvent): void {
    const target = this.#target()
    if (target === null || source !== target || origin !== this.#origin || !isReadyMessage(data)) return
    this.#isReady = true
    this.#send()
  }

  /** Sends a new state if the entry was saved or its token was renewed. */
  update(state: PreviewState): void {
    const { id, revision, token } = this.#state
    if (id === state.id && revision === state.revision && token === state.token) return
    this.#state = state
    if (this.#isReady) this.#send()
  }

  #send(): void {
    const { id, revision, token } = this.#state
    const message = { type: 'daybook:preview-change', version: VERSION, id, revision, ...(token && { token }) }
    this.#target()?.postMessage(message, this.#origin)
  }
}

function isReadyMessage(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false
  const { type, version } = data as Readonly<Record<string, unknown>>
  return type === 'daybook:preview-ready' && version === VERSION
}

/** Matches a placeholder for a value of the entry, such as `{slug}`. */
const PLACEHOLDER = /\{(\w+)\}/g

/** The values for the placeholders of an address. */
export type PreviewValues = Readonly<Record<string, unknown>>

/** Fills the placeholders of an address. A missing value becomes empty. */
export const fillAddress = (address: string, values: PreviewValues): string =>
  address.replace(PLACEHOLDER, (_, key: string) => encodeURIComponent(toText(values[key])))

const toText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

/** Returns true if an address contains a token. Without one, the page shows the published entry. */
export const needsToken = (address: string): boolean => address.includes('{token}')
