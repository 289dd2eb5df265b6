import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { makeClient, type StudioClient } from './client.ts'
import { Connection } from './connection.ts'
import type { LiveChange } from './live.ts'
import { Renewal } from './renewal.ts'
import type { Settings } from './settings.ts'
import { Signal } from './signal.ts'
import { TokenStore } from './token-store.ts'

/** The parts that everything in the Studio shares; there is one for the page. */
export interface Studio {
  readonly settings: Settings
  readonly client: StudioClient
  /** The same, without waiting for a new session: for what may go on as the same person alone. */
  readonly ownClient: StudioClient
  readonly queries: QueryClient
  readonly connection: Connection
  /** What others change, as the service tells it. */
  readonly changes: Signal<LiveChange>
  readonly renewal: Renewal
  readonly token: TokenStore
}

/** How long an answer counts as new, in milliseconds; live events tell what changes meanwhile. */
const FRESH_MS = 30_000

/** Makes the parts of the Studio; nothing is asked yet. */
export function makeStudio(settings: Settings): Studio {
  const renewal = new Renewal()
  const token = new TokenStore()
  const client = makeClient({ token: () => token.get(), renew: () => renewal.ask() })
  const ownClient = makeClient({ token: () => token.get() })
  const connection = new Connection(
    () => client.health({ timeout: 5000, retry: { attempts: 1 } }),
    () => void queries.invalidateQueries(),
  )
  const note = { onError: (error: unknown) => connection.noteError(error), onSuccess: () => connection.noteAnswer() }
  const queries = new QueryClient({
    queryCache: new QueryCache(note),
    mutationCache: new MutationCache(note),
    // The client itself tries again what is worth it.
    defaultOptions: { queries: { retry: false, staleTime: FRESH_MS }, mutations: { retry: false } },
  })
  return { settings, client, ownClient, queries, connection, renewal, changes: new Signal(), token }
}

/** Gives {@link useStudio} to all below. */
export const StudioContext = createContext<Studio | undefined>(undefined)

/** The parts that everything shares. */
export function useStudio(): Studio {
  const studio = useContext(StudioContext)
  if (!studio) throw new Error('useStudio belongs inside StudioContext')
  return studio
}
