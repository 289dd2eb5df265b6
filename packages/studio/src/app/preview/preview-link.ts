/** What a page is told of an entry. */
export interface PreviewState {
  readonly id: string
  readonly revision: string
  readonly token: string | undefined
}

/** What a link uses of the window of the page. */
export interface PreviewTarget {
  postMessage(message: unknown, targetOrigin: string): void
}

/** A message, as browsers tell it. */
export interface PreviewEvent {
  readonly source: unknown
  readonly origin: string
  readonly data: unknown
}

/** The version of the protocol (docs/preview.md). */
const VERSION = 1

/** Tells the page of one entry what is saved, once the page has said that it listens. */
export class PreviewLink {
  readonly #origin: string
  readonly #target: () => PreviewTarget | null
  #isReady = false
  #state: PreviewState

  /**
   * @param origin of the page: messages of others are not heard, and others are told nothing
   * @param target the window of the page; `null`: there is none any more
   */
  constructor(origin: string, target: () => PreviewTarget | null, state: PreviewState) {
    this.#origin = origin
    this.#target = target
    this.#state = state
  }

  /** Hears a message: that of the page, when it is ready, is answered with what is saved now. */
  handleMessage({ source, origin, data }: PreviewEvent): void {
    const target = this.#target()
    if (target === null || source !== target || origin !== this.#origin || !isReady(data)) return
    this.#isReady = true
    this.#tell()
  }

  /** The entry was saved, or its token is another one. */
  update(state: PreviewState): void {
    const { id, revision, token } = this.#state
    if (id === state.id && revision === state.revision && token === state.token) return
    this.#state = state
    if (this.#isReady) this.#tell()
  }

  #tell(): void {
    const { id, revision, token } = this.#state
    const message = { type: 'daybook:preview-change', version: VERSION, id, revision, ...(token && { token }) }
    this.#target()?.postMessage(message, this.#origin)
  }
}

function isReady(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false
  const { type, version } = data as Readonly<Record<string, unknown>>
  return type === 'daybook:preview-ready' && version === VERSION
}

/** A place in an address that a value of the entry takes: `{slug}`. */
const PLACE = /\{(\w+)\}/g

/** What the places of an address are filled with. */
export type PreviewValues = Readonly<Record<string, unknown>>

/** The address of an entry's page; a value that is not there is left out. */
export const fillAddress = (address: string, values: PreviewValues): string =>
  address.replace(PLACE, (_, key: string) => encodeURIComponent(textOf(values[key])))

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

/** Whether an address needs a token: without one, the page shows what is published. */
export const needsToken = (address: string): boolean => address.includes('{token}')
