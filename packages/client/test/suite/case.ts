import type { Client, ClientOptions } from '@daybook/client'
import type { Blog } from '../support/config.ts'

/** What a scripted server answers. */
export interface Reply {
  /** @default 200 */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** `silence`: no answer; `reset`: the connection is reset; `stall` and `cut`: half a body, and then nothing, or the end. */
  readonly fault?: 'silence' | 'reset' | 'stall' | 'cut'
}

/** What a scripted server was sent. */
export interface Sent {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
}

/** A server that answers by a script. */
export interface Scripted {
  readonly baseUrl: string
  sent(): Promise<readonly Sent[]>
}

/** Where a case runs. */
export interface World {
  /** The service that has the seed of `support/config.ts`. */
  readonly baseUrl: string
  /** The token of its service principal. */
  readonly token: string
  /** A client of it, without a session unless told otherwise. */
  client(options?: Partial<ClientOptions>): Client<Blog>
  /** Another server. */
  script(...replies: readonly Reply[]): Promise<Scripted>
  /** A client of another server, impatient between attempts. */
  clientOf(server: Scripted, options?: Partial<ClientOptions>): Client<Blog>
}

/** One thing that the client promises, wherever it runs. */
export interface Case {
  readonly name: string
  /** @throws when it is not kept */
  run(world: World): Promise<void>
}

/** @throws when a value is another one than was expected; they are compared as JSON */
export function equal(actual: unknown, expected: unknown): void {
  const [shown, wanted] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (shown !== wanted) throw new Error(`${shown} instead of ${wanted}`)
}

/** @throws when a text does not hold another */
export function holds(text: string, part: string): void {
  if (!text.includes(part)) throw new Error(`"${text}" does not hold "${part}"`)
}

/**
 * What a promise rejects with.
 *
 * @throws when it is not of that class
 */
export async function failure<E extends Error>(
  promise: Promise<unknown>,
  kind: new (...given: never[]) => E,
): Promise<E> {
  const outcome = await promise.then(
    (value) => `it answered ${JSON.stringify(value)}`,
    (error: unknown) => error,
  )
  if (outcome instanceof kind) return outcome
  throw new Error(`No ${kind.name}: ${outcome}`, { cause: outcome })
}
