import type { Client, ClientOptions } from '@daybook/client'
import type { Blog } from '../support/config.ts'

export interface ScriptedResponse {
  /** @default 200 */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** `silence`: no response; `reset`: a reset connection; `stall` and `cut`: half a body, and then nothing, or the end. */
  readonly fault?: 'silence' | 'reset' | 'stall' | 'cut'
}

export interface Sent {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
}

export interface Scripted {
  readonly baseUrl: string
  sent(): Promise<readonly Sent[]>
}

export interface TestContext {
  /** The URL of the service with the seed of `support/config.ts`. */
  readonly baseUrl: string
  /** The token of its service principal. */
  readonly token: string
  /** Creates a client of the service, by default without a session. */
  client(options?: Partial<ClientOptions>): Client<Blog>
  script(...responses: readonly ScriptedResponse[]): Promise<Scripted>
  /** Creates a client of a scripted server, with short pauses between attempts. */
  clientOf(server: Scripted, options?: Partial<ClientOptions>): Client<Blog>
}

/** A behaviour of the client on every platform. */
export interface Case {
  readonly name: string
  /** @throws if the client behaves differently */
  run(context: TestContext): Promise<void>
}

/** Compares two values as JSON. @throws if they differ */
export function equal(actual: unknown, expected: unknown): void {
  const [actualJson, expectedJson] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (actualJson !== expectedJson) throw new Error(`${actualJson} instead of ${expectedJson}`)
}

/** @throws if a text does not contain another one */
export function holds(text: string, part: string): void {
  if (!text.includes(part)) throw new Error(`"${text}" does not contain "${part}"`)
}

/**
 * Returns the error that a promise rejects with.
 *
 * @throws if the promise does not reject with that class
 */
export async function failure<E extends Error>(
  promise: Promise<unknown>,
  kind: new (...parameters: never[]) => E,
): Promise<E> {
  const outcome = await promise.then(
    (value) => `it resolved to ${JSON.stringify(value)}`,
    (error: unknown) => error,
  )
  if (outcome instanceof kind) return outcome
  throw new Error(`No ${kind.name}: ${outcome}`, { cause: outcome })
}
