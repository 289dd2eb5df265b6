import { DaybookError, NetworkError, TimeoutError } from '@daybook/client'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { makeClient, SessionRenewal, type StudioClient, TokenStore } from './client.ts'
import type { LiveChange } from './live-changes.ts'
import { Emitter, Observable } from './observable.ts'

/** The services that all parts of the Studio share; there is one instance for each page. */
export interface Studio {
  readonly settings: Settings
  readonly client: StudioClient
  /** A client that fails when the session has ended, for work that must not continue as another user. */
  readonly clientWithoutRenewal: StudioClient
  readonly queries: QueryClient
  readonly connection: Connection
  /** Changes by others, from the live stream. */
  readonly changes: Emitter<LiveChange>
  readonly renewal: SessionRenewal
  readonly token: TokenStore
}

/** The time in which a response counts as fresh, in milliseconds; live events report changes sooner. */
const FRESH_MS = 30_000

/** Sends no request. */
export function makeStudio(settings: Settings): Studio {
  const renewal = new SessionRenewal()
  const token = new TokenStore()
  const client = makeClient({ baseUrl: location.origin, token: () => token.get(), renew: () => renewal.request() })
  const clientWithoutRenewal = makeClient({ baseUrl: location.origin, token: () => token.get() })
  const connection = new Connection(
    () => client.health({ timeout: 5000, retry: { attempts: 1 } }),
    () => void queries.invalidateQueries(),
  )
  const watch = { onError: (error: unknown) => connection.noteError(error), onSuccess: () => connection.noteResponse() }
  const queries = new QueryClient({
    queryCache: new QueryCache(watch),
    mutationCache: new MutationCache(watch),
    // The client already retries where it helps.
    defaultOptions: { queries: { retry: false, staleTime: FRESH_MS }, mutations: { retry: false } },
  })
  return {
    settings,
    client,
    clientWithoutRenewal,
    queries,
    connection,
    renewal,
    changes: new Emitter(),
    token,
  }
}

/** Provides {@link useStudio}. */
export const StudioContext = createContext<Studio | undefined>(undefined)

export function useStudio(): Studio {
  const studio = useContext(StudioContext)
  if (!studio) throw new Error('useStudio belongs inside StudioContext')
  return studio
}

/** The settings that the server embeds in the page. */
interface Settings {
  /** The path of the Studio, such as `/studio`. */
  readonly path: string
  readonly title: string
  readonly logo?: string
  /** The origins whose images can be read when they are pasted. */
  readonly pasteOrigins: readonly string[]
  /** The paths of custom editors, by field type. */
  readonly editors?: Readonly<Record<string, string>>
  /** The preview URLs of the site, by collection, with placeholders in braces. */
  readonly preview: Readonly<Record<string, string>>
}

export const readSettings = (): Settings => ({
  preview: {},
  pasteOrigins: [],
  ...JSON.parse(document.getElementById('settings')?.textContent ?? '{}'),
})

/** The interval of health checks while the service is unreachable, in milliseconds. */
const HEALTH_CHECK_MS = 3000

export const isUnreachableError = (error: unknown): boolean =>
  error instanceof NetworkError ||
  error instanceof TimeoutError ||
  (error instanceof DaybookError && error.status === 503)

/** Tracks the reachability of the service from the outcome of every request. */
class Connection {
  readonly isUnreachable: Observable<boolean> = new Observable(false)
  readonly #checkHealth: () => Promise<unknown>
  readonly #onReturn: () => void
  #timer: ReturnType<typeof setTimeout> | undefined

  /**
   * @param checkHealth sends a request to the service
   * @param onReturn called when the service is reachable again
   */
  constructor(checkHealth: () => Promise<unknown>, onReturn: () => void) {
    this.#checkHealth = checkHealth
    this.#onReturn = onReturn
  }

  noteError(error: unknown): void {
    if (!isUnreachableError(error) || this.isUnreachable.get()) return
    this.isUnreachable.set(true)
    this.#scheduleCheck()
  }

  noteResponse(): void {
    if (!this.isUnreachable.get()) return
    clearTimeout(this.#timer)
    this.isUnreachable.set(false)
    this.#onReturn()
  }

  #scheduleCheck(): void {
    this.#timer = setTimeout(() => {
      this.#checkHealth().then(
        () => this.noteResponse(),
        () => this.#scheduleCheck(),
      )
    }, HEALTH_CHECK_MS)
  }
}
