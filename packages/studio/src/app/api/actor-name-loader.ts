import type { ActorName, Client } from '@daybook/client'
import type { DaybookConfig } from 'daybook'

/** How long subjects are gathered before they are asked for together, in milliseconds. */
const GATHER_MS = 8
/** The most subjects that one request names. */
const AT_ONCE = 100

/** Looks the names of people up by their subjects: those of one moment take one request. */
export class ActorNameLoader {
  readonly #ask: (subjects: readonly string[]) => Promise<readonly ActorName[]>
  #waiting = new Map<string, PromiseWithResolvers<string | null>>()

  constructor(ask: (subjects: readonly string[]) => Promise<readonly ActorName[]>) {
    this.#ask = ask
  }

  /** @returns `null`: the service knows no name */
  load(subject: string): Promise<string | null> {
    if (this.#waiting.size === 0) setTimeout(() => this.#flush(), GATHER_MS)
    const asked = this.#waiting.get(subject) ?? Promise.withResolvers<string | null>()
    this.#waiting.set(subject, asked)
    return asked.promise
  }

  #flush(): void {
    const all = [...this.#waiting]
    this.#waiting = new Map()
    for (let at = 0; at < all.length; at += AT_ONCE) void this.#answer(all.slice(at, at + AT_ONCE))
  }

  async #answer(asked: readonly (readonly [string, PromiseWithResolvers<string | null>])[]): Promise<void> {
    try {
      const people = await this.#ask(asked.map(([subject]) => subject))
      const names = new Map(people.map(({ subject, name }) => [subject, name]))
      for (const [subject, { resolve }] of asked) resolve(names.get(subject) ?? null)
    } catch (error) {
      for (const [, { reject }] of asked) reject(error)
    }
  }
}

/** As far as a client names people. */
type NamingClient = Pick<Client<DaybookConfig>, 'auth'>

const loaders = new WeakMap<NamingClient, ActorNameLoader>()

/** The loader of a client. */
export function getActorNameLoader(client: NamingClient): ActorNameLoader {
  const known = loaders.get(client)
  if (known) return known
  const loader = new ActorNameLoader((subjects) => client.auth.people(subjects))
  loaders.set(client, loader)
  return loader
}
