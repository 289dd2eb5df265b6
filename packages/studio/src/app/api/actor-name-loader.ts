import type { ActorName, Client } from '@daybook/client'
import type { DaybookConfig } from 'daybook'

/** The delay in which subjects are collected for one request, in milliseconds. */
const BATCH_DELAY_MS = 8
const BATCH_SIZE = 100

/** Loads the names of actors by their subjects, batching concurrent loads into one request. */
export class ActorNameLoader {
  readonly #fetch: (subjects: readonly string[]) => Promise<readonly ActorName[]>
  #waiting = new Map<string, PromiseWithResolvers<string | null>>()

  constructor(fetchNames: (subjects: readonly string[]) => Promise<readonly ActorName[]>) {
    this.#fetch = fetchNames
  }

  /** @returns the name, or `null` if the service knows none */
  load(subject: string): Promise<string | null> {
    if (this.#waiting.size === 0) setTimeout(() => this.#flush(), BATCH_DELAY_MS)
    const pending = this.#waiting.get(subject) ?? Promise.withResolvers<string | null>()
    this.#waiting.set(subject, pending)
    return pending.promise
  }

  #flush(): void {
    const entries = [...this.#waiting]
    this.#waiting = new Map()
    for (let start = 0; start < entries.length; start += BATCH_SIZE)
      void this.#resolve(entries.slice(start, start + BATCH_SIZE))
  }

  async #resolve(entries: readonly (readonly [string, PromiseWithResolvers<string | null>])[]): Promise<void> {
    try {
      const actors = await this.#fetch(entries.map(([subject]) => subject))
      const names = new Map(actors.map(({ subject, name }) => [subject, name]))
      for (const [subject, { resolve }] of entries) resolve(names.get(subject) ?? null)
    } catch (error) {
      for (const [, { reject }] of entries) reject(error)
    }
  }
}

type NamingClient = Pick<Client<DaybookConfig>, 'auth'>

const loaders = new WeakMap<NamingClient, ActorNameLoader>()

export function getActorNameLoader(client: NamingClient): ActorNameLoader {
  const existing = loaders.get(client)
  if (existing) return existing
  const loader = new ActorNameLoader((subjects) => client.auth.people(subjects))
  loaders.set(client, loader)
  return loader
}
