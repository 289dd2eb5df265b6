import type { DaybookConfig } from 'daybook'
import { expect, vi } from 'vitest'
import { parseBody, type RequestOptions, sendRequest } from '../scenarios/client.ts'
import { requireEqual } from '../scenarios/require.ts'
import { fill, fillText, pick, type SavedValues } from '../scenarios/steps.ts'
import type { TestResponse } from '../scenarios/transports.ts'
import { restartIds } from './fixed-ids.ts'
import { STORES, type StoredService, type StoreKind } from './stores.ts'

/** The start time of every pair's clock. */
const START = Date.parse('2026-01-02T03:04:05.678Z')

interface Side {
  readonly service: StoredService
  values: SavedValues
}

/** A request, and the values of its response that later requests use in braces. */
export interface PairRequest extends RequestOptions {
  readonly keep?: Readonly<Record<string, string>>
  /** Matches random parts of the responses, such as tokens. */
  readonly apart?: RegExp
}

/**
 * The same service on several stores. Requests go to all of them with the clock stopped, and if a test replaces `uuid` by {@link fixedId},
 * entries get the same ids: responses must be equal byte for byte.
 */
export class Pair implements AsyncDisposable {
  readonly #sides: readonly Side[]

  private constructor(services: readonly StoredService[]) {
    this.#sides = services.map((service) => ({ service, values: {} }))
  }

  /** @param stores one for each side; a kind may come twice. @default every kind */
  static async open(config: DaybookConfig, stores: readonly StoreKind[] = STORES): Promise<Pair> {
    vi.useFakeTimers({ toFake: ['Date'], now: START })
    const services: StoredService[] = []
    for (const store of stores) {
      restartIds()
      services.push(await store.open(config))
    }
    return new Pair(services)
  }

  /** Sends a request to each side, and returns the response, which must be the same. */
  async same(path: string, request: PairRequest = {}): Promise<TestResponse> {
    vi.setSystemTime(Date.now() + 1000)
    const responses: TestResponse[] = []
    for (const side of this.#sides) {
      restartIds()
      responses.push(await send(side, path, request))
    }
    const [first, ...rest] = responses.map((response) => comparable(response, request.apart))
    for (const response of rest) requireEqual(response, first, `${request.method ?? 'GET'} ${path.slice(0, 300)}`)
    return responses[0] as TestResponse
  }

  /** Sends each side its own request at the same time. All must succeed. */
  async each(request: (side: number) => readonly [path: string, request: PairRequest]): Promise<void> {
    vi.setSystemTime(Date.now() + 1000)
    for (const [index, side] of this.#sides.entries()) {
      restartIds()
      const response = await send(side, ...request(index))
      expect(response.status, response.text).toBeLessThan(300)
    }
  }

  /** Reads all pages of a list. Returns the number of entries. */
  async walk(path: string, request: PairRequest = {}): Promise<number> {
    for (let count = 0, next = path; ; next = `${path}&cursor={next}`) {
      const response = await this.same(next, { ...request, keep: { next: '/nextCursor' } })
      const { items, nextCursor } = parseBody(response) as { items?: readonly unknown[]; nextCursor?: string | null }
      count += items?.length ?? 0
      if (!nextCursor) return count
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    vi.useRealTimers()
    await Promise.all(this.#sides.map(({ service }) => service.close()))
  }
}

function comparable({ status, headers, text }: TestResponse, apart: RegExp | undefined): unknown {
  const without = (value: string): string => (apart ? value.replace(apart, '') : value)
  return { status, headers: [...headers].map(([name, value]) => [name, without(value)]), text: without(text) }
}

async function send(side: Side, path: string, { keep = {}, apart: _, ...request }: PairRequest): Promise<TestResponse> {
  const { service, values } = side
  const response = await sendRequest(service, fillText(path, values), {
    ...request,
    ...(request.json === undefined ? {} : { json: fill(request.json, values) }),
    headers: { 'X-Request-Id': 'the-same-id', ...(fill(request.headers ?? {}, values) as Record<string, string>) },
  })
  if (response.status < 300) {
    side.values = {
      ...values,
      ...Object.fromEntries(Object.entries(keep).map(([name, from]) => [name, pick(response, from)])),
    }
  }
  return response
}
