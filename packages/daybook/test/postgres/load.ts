import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { expectSane } from '../support/scenarios/sane.ts'
import type { TestResponse } from '../support/scenarios/transports.ts'

/** A service, in this process or another, with the token for writes. */
export interface Door {
  readonly fetch: (request: Request) => Promise<Response>
  readonly token: string
}

export interface RequestOptions {
  readonly json?: object
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a request and returns its response, also a 5xx. With a body, it is a POST with the token. */
export async function send({ fetch, token }: Door, path: string, options: RequestOptions = {}): Promise<TestResponse> {
  const { json, method = json === undefined ? 'GET' : 'POST' } = options
  const init: RequestInit = { method, headers: { ...options.headers } }
  if (json !== undefined) {
    init.headers = { ...init.headers, 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
    init.body = JSON.stringify(json)
  }
  const response = await fetch(new Request(new URL(path, 'http://daybook.test'), init))
  const result = { status: response.status, headers: response.headers, text: await response.text() }
  expectSane(result, method)
  return result
}

interface WriteResult {
  readonly title: string
  /** 0: the connection was lost. */
  readonly status: number
  /** `unknown` if the service could not find out. */
  readonly outcome: unknown
}

/** The pause of a client after a response that is no success, in milliseconds. */
const RETRY_MS = 20

/** Clients that write and read, each one request after the other, until they are stopped. */
export class Load {
  readonly writes: WriteResult[] = []
  /** Statuses that readers saw. */
  readonly reads: number[] = []
  readonly #door: Door
  readonly #name: string
  readonly #clients: readonly Promise<void>[]
  readonly #underWay = new Set<Promise<unknown>>()
  #isOver = false

  constructor(door: Door, name: string, { writers = 4, readers = 4 } = {}) {
    this.#door = door
    this.#name = name
    this.#clients = [
      ...Array.from({ length: writers }, (_, index) => this.#write(index)),
      ...Array.from({ length: readers }, () => this.#read()),
    ]
  }

  /** Stops all clients once their current requests have ended. */
  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#clients)
  }

  /** Resolves when the current reads have ended. */
  async readsUnderWay(): Promise<void> {
    await Promise.all(this.#underWay)
  }

  get statuses(): ReadonlySet<number> {
    return new Set(this.writes.map(({ status }) => status))
  }

  /** Checks that every response to a write was true. @param titles those of all stored posts */
  expectHonest(titles: readonly string[]): void {
    const stored = Map.groupBy(titles, (title) => title)
    const times = ({ title }: WriteResult): number => stored.get(title)?.length ?? 0
    expect([0, 201, 503]).toEqual(expect.arrayContaining([...this.statuses]))
    const done = this.writes.filter(({ status }) => status === 201)
    expect(done.length).toBeGreaterThan(0)
    expect(done.filter((write) => times(write) !== 1)).toEqual([])
    const undone = this.writes.filter(({ status, outcome }) => status !== 201 && outcome === undefined)
    expect(undone.filter((write) => times(write) !== 0)).toEqual([])
    expect(this.writes.filter((write) => times(write) > 1)).toEqual([])
  }

  async #write(writer: number): Promise<void> {
    for (let index = 0; !this.#isOver; index++) {
      const title = `${this.#name} ${writer} ${index}`
      const result = await this.#create(title)
      this.writes.push({ title, ...result })
      if (result.status !== 201) await sleep(RETRY_MS)
    }
  }

  async #create(title: string): Promise<Pick<WriteResult, 'status' | 'outcome'>> {
    const result = await send(this.#door, '/api/posts', { json: { title } }).catch(unlessLost)
    if (!result) return { status: 0, outcome: 'unknown' }
    const { details = {} } = JSON.parse(result.text) as { readonly details?: { readonly outcome?: unknown } }
    return { status: result.status, outcome: details.outcome }
  }

  async #read(): Promise<void> {
    while (!this.#isOver) {
      const reading = send(this.#door, '/api/posts?limit=1').catch(unlessLost)
      this.#underWay.add(reading)
      const result = await reading
      this.#underWay.delete(reading)
      const status = result?.status ?? 0
      this.reads.push(status)
      await sleep(status === 200 ? 1 : RETRY_MS)
    }
  }
}

/** Ignores a lost connection, and rethrows every other error. */
function unlessLost(error: unknown): undefined {
  if (!(error instanceof TypeError && error.cause)) throw error
}
