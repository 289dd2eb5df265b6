import type { DaybookConfig } from 'daybook'
import { expect, vi } from 'vitest'
import { type Asked, ask, bodyOf } from '../scenarios/client.ts'
import { fill, fillText, type Kept, pick } from '../scenarios/placeholders.ts'
import { requireEqual } from '../scenarios/require.ts'
import type { Answer } from '../scenarios/transports.ts'
import { restartIds } from './fixed-ids.ts'
import { STORES, type StoredService, type StoreKind } from './stores.ts'

/** When the clock of every pair begins. */
const START = Date.parse('2026-01-02T03:04:05.678Z')

/** One side of a {@link Pair}. */
interface Side {
  readonly service: StoredService
  kept: Kept
}

/** What is asked, and which values of the answer later requests name in braces. */
export interface PairAsked extends Asked {
  readonly keep?: Readonly<Record<string, string>>
  /** What differs by chance, as tokens do. */
  readonly apart?: RegExp
}

/**
 * The same service on several stores. Requests go to all of them at the same moment of a clock that stands still meanwhile,
 * and where a test puts {@link fixedId} in place of `uuid`, entries get the same ids: answers must be equal byte for byte.
 */
export class Pair implements AsyncDisposable {
  readonly #sides: readonly Side[]

  private constructor(services: readonly StoredService[]) {
    this.#sides = services.map((service) => ({ service, kept: {} }))
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

  /** Sends a request to each, and answers what all of them answer. */
  async same(path: string, asked: PairAsked = {}): Promise<Answer> {
    vi.setSystemTime(Date.now() + 1000)
    const answers: Answer[] = []
    for (const side of this.#sides) {
      restartIds()
      answers.push(await send(side, path, asked))
    }
    const [first, ...others] = answers.map((one) => comparable(one, asked.apart))
    for (const other of others) requireEqual(other, first, `${asked.method ?? 'GET'} ${path.slice(0, 300)}`)
    return answers[0] as Answer
  }

  /** Sends each side a request of its own at the same moment; all of them are carried out. */
  async each(request: (side: number) => readonly [path: string, asked: PairAsked]): Promise<void> {
    vi.setSystemTime(Date.now() + 1000)
    for (const [index, side] of this.#sides.entries()) {
      restartIds()
      const answer = await send(side, ...request(index))
      expect(answer.status, answer.text).toBeLessThan(300)
    }
  }

  /** Reads a list from its first page to its last, and answers how many entries came. */
  async walk(path: string, asked: PairAsked = {}): Promise<number> {
    for (let count = 0, next = path; ; next = `${path}&cursor={next}`) {
      const answer = await this.same(next, { ...asked, keep: { next: '/nextCursor' } })
      const { items, nextCursor } = bodyOf(answer) as { items?: readonly unknown[]; nextCursor?: string | null }
      count += items?.length ?? 0
      if (!nextCursor) return count
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    vi.useRealTimers()
    await Promise.all(this.#sides.map(({ service }) => service.close()))
  }
}

function comparable({ status, headers, text }: Answer, apart: RegExp | undefined): unknown {
  const without = (one: string): string => (apart ? one.replace(apart, '') : one)
  return { status, headers: [...headers].map(([name, value]) => [name, without(value)]), text: without(text) }
}

async function send(side: Side, path: string, { keep = {}, apart: _, ...asked }: PairAsked): Promise<Answer> {
  const { service, kept } = side
  const answer = await ask(service, fillText(path, kept), {
    ...asked,
    ...(asked.json === undefined ? {} : { json: fill(asked.json, kept) }),
    headers: { 'X-Request-Id': 'the-same-id', ...(fill(asked.headers ?? {}, kept) as Record<string, string>) },
  })
  if (answer.status < 300) {
    side.kept = {
      ...kept,
      ...Object.fromEntries(Object.entries(keep).map(([name, from]) => [name, pick(answer, from)])),
    }
  }
  return answer
}
