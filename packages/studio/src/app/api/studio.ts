import { DaybookError, NetworkError, TimeoutError } from '@daybook/client'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { makeClient, SessionRenewal, type StudioClient, TokenStore } from './client.ts'
import type { LiveChange } from './live-changes.ts'
import { Emitter, Observable } from './observable.ts'

/** The parts that everything in the Studio shares; there is one for the page. */
export interface Studio {
  readonly settings: Settings
  readonly client: StudioClient
  /** The same, without waiting for a new session: for what may go on as the same person alone. */
  readonly clientWithoutRenewal: StudioClient
  readonly queries: QueryClient
  readonly connection: Connection
  /** What others change, as the service tells it. */
  readonly changes: Emitter<LiveChange>
  readonly renewal: SessionRenewal
  readonly token: TokenStore
}

/** How long an answer counts as new, in milliseconds; live events tell what changes meanwhile. */
const FRESH_MS = 30_000

/** Makes the parts of the Studio; nothing is asked yet. */
export function makeStudio(settings: Settings): Studio {
  const renewal = new SessionRenewal()
  const token = new TokenStore()
  const client = makeClient({ baseUrl: location.origin, token: () => token.get(), renew: () => renewal.request() })
  const ownClient = makeClient({ baseUrl: location.origin, token: () => token.get() })
  const connection = new Connection(
    () => client.health({ timeout: 5000, retry: { attempts: 1 } }),
    () => void queries.invalidateQueries(),
  )
  const note = { onError: (error: unknown) => connection.noteError(error), onSuccess: () => connection.noteResponse() }
  const queries = new QueryClient({
    queryCache: new QueryCache(note),
    mutationCache: new MutationCache(note),
    // The client itself tries again what is worth it.
    defaultOptions: { queries: { retry: false, staleTime: FRESH_MS }, mutations: { retry: false } },
  })
  return {
    settings,
    client,
    clientWithoutRenewal: ownClient,
    queries,
    connection,
    renewal,
    changes: new Emitter(),
    token,
  }
}

/** Gives {@link useStudio} to all below. */
export const StudioContext = createContext<Studio | undefined>(undefined)

/** The parts that everything shares. */
export function useStudio(): Studio {
  const studio = useContext(StudioContext)
  if (!studio) throw new Error('useStudio belongs inside StudioContext')
  return studio
}

/** What the page says to the program. */
interface Settings {
  /** Where the Studio is, such as `/studio`. */
  readonly path: string
  readonly title: string
  /** The path of an image. */
  readonly logo?: string
  /** The paths of editors of field types that the config brings, by type. */
  readonly editors?: Readonly<Record<string, string>>
  /** The addresses of the site's pages, by collection, with places in braces. */
  readonly preview: Readonly<Record<string, string>>
}

/** Reads what the page says. */
export const readSettings = (): Settings => ({
  preview: {},
  ...JSON.parse(document.getElementById('settings')?.textContent ?? '{}'),
})

/** How long to wait before asking again whether the service is back, in milliseconds. */
const ASK_AGAIN_MS = 3000

/** Whether an error says that the service cannot be reached now. */
export const isUnreachableError = (error: unknown): boolean =>
  error instanceof NetworkError ||
  error instanceof TimeoutError ||
  (error instanceof DaybookError && error.status === 503)

/** Whether the service can be reached. Everything that talks to it notes how that went. */
class Connection {
  readonly isUnreachable: Observable<boolean> = new Observable(false)
  readonly #ask: () => Promise<unknown>
  readonly #onReturn: () => void
  #timer: ReturnType<typeof setTimeout> | undefined

  /**
   * @param ask asks the service anything
   * @param onReturn called when it answers again
   */
  constructor(ask: () => Promise<unknown>, onReturn: () => void) {
    this.#ask = ask
    this.#onReturn = onReturn
  }

  /** Notes what a call failed with. */
  noteError(error: unknown): void {
    if (!isUnreachableError(error) || this.isUnreachable.get()) return
    this.isUnreachable.set(true)
    this.#askLater()
  }

  /** Notes that a call was answered. */
  noteResponse(): void {
    if (!this.isUnreachable.get()) return
    clearTimeout(this.#timer)
    this.isUnreachable.set(false)
    this.#onReturn()
  }

  #askLater(): void {
    this.#timer = setTimeout(() => {
      this.#ask().then(
        () => this.noteResponse(),
        () => this.#askLater(),
      )
    }, ASK_AGAIN_MS)
  }
}
