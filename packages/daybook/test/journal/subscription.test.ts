import { f, type Service } from 'daybook'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { requestReplay } from '../../src/journal/replay.ts'
import type { Subscriber, SubscriptionTimes } from '../../src/journal/subscriber.ts'
import { Subscription } from '../../src/journal/subscription.ts'
import { readPosition } from '../../src/journal/subscription-position.ts'
import type { Store } from '../../src/store/store.ts'
import { RecordingLog } from '../support/recording-log.ts'
import { create, type Place, update } from '../support/stores/place.ts'
import { STORES } from '../support/stores/stores.ts'
import { eventually } from '../support/timeouts.ts'

const config = {
  locales: { default: 'en', available: ['en', 'de'] },
  collections: {
    posts: { fields: { title: f.text({ localized: true }) } },
    notes: { fields: { text: f.text() } },
  },
}

const QUICK: SubscriptionTimes = { retryMs: 1, closeMs: 50 }

describe.each(STORES)('a subscription to the journal on $name', (kind) => {
  let place: Place
  let service: Service
  /** Two stores, which stand for two processes. */
  let stores: readonly [Store, Store]
  let log: RecordingLog
  const running: Subscription[] = []

  beforeEach(async () => {
    place = await kind.at()
    service = await place.open(config as never)
    stores = [await place.store(), await place.store()]
    log = new RecordingLog()
  })
  afterEach(async () => {
    for (const subscription of running.splice(0)) await subscription.close()
    for (const store of stores) await store.close()
    await service.close()
    await place[Symbol.asyncDispose]()
  })

  type Handle = (...parameters: Parameters<Subscriber['deliver']>) => Promise<void>

  const subscribe = async (
    handle: Handle,
    { store = stores[0], name = 'reader', times = QUICK, wants = () => true }: Partial<Subscribed> = {},
  ): Promise<Subscription> => {
    const deliver: Subscriber['deliver'] = async (...parameters) => {
      await handle(...parameters)
      return true
    }
    const subscription = await Subscription.start(store, { name, wants, deliver }, log, times)
    running.push(subscription)
    return subscription
  }

  interface Subscribed {
    readonly store: Store
    readonly name: string
    readonly times: SubscriptionTimes
    readonly wants: Subscriber['wants']
  }

  const write = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done += 1) await create(service, 'notes', { text: String(done) })
  }

  /** Creates a handler that collects the numbers of all records. */
  const collecting = (): { readonly seen: number[]; readonly deliver: Handle } => {
    const seen: number[] = []
    return { seen, deliver: async ({ seq }) => void seen.push(seq) }
  }

  test('stores its position after a replay, even if the database is slow at the end of it', async () => {
    const [store] = stores
    const name = 'replayed'
    const { seen, deliver } = collecting()
    const collect: Subscriber['deliver'] = async (...parameters) => {
      await deliver(...parameters)
      return true
    }
    running.push(
      await Subscription.start(store, { name, wants: () => true, deliver: collect, storesFailures: true }, log),
    )
    await write(3)
    const position = async (): Promise<number> => (await readPosition(store, name)).ranges[0].after
    await eventually(async () => expect(await position()).toBe(3))

    // Delays the read that follows the replayed record.
    const gate = Promise.withResolvers<void>()
    const { journal } = store
    const records = journal.records.bind(journal)
    const late: typeof records = async (after, limit) => {
      if (after === 2) await gate.promise
      return records(after, limit)
    }
    Object.assign(journal, { records: late })
    await requestReplay(store.records, name, { seq: 2 })
    await eventually(() => expect(seen).toEqual([1, 2, 3, 2]))
    await eventually(async () => expect(await position()).toBe(2))
    gate.resolve()
    await eventually(async () => expect(await position()).toBe(3))
  })

  test('begins at the end of the journal, and delivers every later record in order', async () => {
    await write(2)
    const { seen, deliver } = collecting()
    await subscribe(deliver)
    await write(3)
    await eventually(() => expect(seen).toEqual([3, 4, 5]))
  })

  test('passes the document before and after the change, in the default locale', async () => {
    const states: unknown[] = []
    await subscribe(async ({ action }, { before, after }) => {
      states.push([action, (await before())?.title, (await after())?.title])
    })
    const { id } = await create(service, 'posts', { title: 'one' })
    await service.content.update('posts', id, { title: 'eins' }, { locale: 'de' })
    await update(service, 'posts', id, { title: 'two' })
    await service.content.delete('posts', id)
    await eventually(() =>
      expect(states).toEqual([
        ['create', undefined, 'one'],
        ['update', 'one', 'one'],
        ['update', 'one', 'two'],
        ['delete', 'two', undefined],
      ]),
    )
  })

  test('continues where it stopped, and skips unwanted records', async () => {
    const first = collecting()
    const subscription = await subscribe(first.deliver)
    await write(2)
    await eventually(() => expect(first.seen).toEqual([1, 2]))
    await subscription.close()
    await create(service, 'posts', { title: 'unwanted' })
    await write(1)
    const second = collecting()
    await subscribe(second.deliver, { wants: ({ collection }) => collection === 'notes' })
    await eventually(() => expect(second.seen).toEqual([4]))
    await write(1)
    await eventually(() => expect(second.seen).toEqual([4, 5]))
  })

  test('retries a record until it succeeds before any later one, and does not delay other subscriptions', async () => {
    const seen: number[] = []
    let failures = 3
    await subscribe(async ({ seq }) => {
      seen.push(seq)
      if (seq === 2 && failures-- > 0) throw new Error('cannot deliver number two')
    })
    const other = collecting()
    await subscribe(other.deliver, { name: 'other' })
    await write(3)
    await eventually(() => expect(seen).toEqual([1, 2, 2, 2, 2, 3]))
    await eventually(() => expect(other.seen).toEqual([1, 2, 3]))
    const lines = log.take()
    expect(lines).toHaveLength(3)
    for (const line of lines) expect(line).toMatch(/error journal: .*cannot deliver number two.*reader.*seq: 2/s)
    const pauses = lines.map((line) => Number(/retryInMs: (\d+)/.exec(line)?.[1]))
    expect(pauses).toEqual([1, 2, 4])
  })

  test('aborts a delivery that takes too long', async () => {
    const seen: number[] = []
    const aborted: boolean[] = []
    await subscribe(
      async ({ seq }, _states, signal) => {
        seen.push(seq)
        if (seen.length > 1) return
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        aborted.push(signal.aborted)
      },
      { times: { ...QUICK, deliveryMs: 20 } },
    )
    await write(2)
    await eventually(() => expect(seen).toEqual([1, 1, 2]))
    expect(aborted).toEqual([true])
    expect(log.take()).toEqual([expect.stringContaining('The delivery took longer than 20 ms')])
  })

  test('closes after the running delivery, which is not repeated', async () => {
    const begun = Promise.withResolvers<void>()
    const finish = Promise.withResolvers<void>()
    const seen: number[] = []
    const subscription = await subscribe(
      async ({ seq }) => {
        begun.resolve()
        await finish.promise
        seen.push(seq)
      },
      { times: { closeMs: 60_000 } },
    )
    await write(2)
    await begun.promise
    const closed = subscription.close()
    finish.resolve()
    await closed
    expect(seen).toEqual([1])
    const next = collecting()
    await subscribe(next.deliver)
    await eventually(() => expect(next.seen).toEqual([2]))
  })

  test('closes although the running delivery hangs, which is repeated', async () => {
    const begun = Promise.withResolvers<void>()
    let isAborted = false
    const subscription = await subscribe(async (_record, _states, signal) => {
      begun.resolve()
      signal.addEventListener('abort', () => {
        isAborted = true
      })
      await new Promise(() => {})
    })
    await write(1)
    await begun.promise
    await subscription.close()
    expect(isAborted).toBe(true)
    const next = collecting()
    await subscribe(next.deliver)
    await eventually(() => expect(next.seen).toEqual([1]))
  })

  test('delivers each record on only one of two nodes', async () => {
    const seen: number[] = []
    const deliver: Handle = async ({ seq }) => void seen.push(seq)
    for (const store of stores) await subscribe(deliver, { store })
    await write(30)
    await eventually(() => expect(seen.at(-1)).toBe(30))
    // By the time that the other node has delivered later records, it would have delivered the earlier ones, too.
    await running[0]?.close()
    await write(5)
    await eventually(() => expect(seen.at(-1)).toBe(35))
    expect(seen).toEqual(Array.from({ length: 35 }, (_, index) => index + 1))
  })

  test('starts once if several processes start it concurrently, and misses no record', async () => {
    const { seen, deliver } = collecting()
    await Promise.all([
      ...stores.map((store) => subscribe(deliver, { store })),
      ...Array.from({ length: 5 }, (_, index) => create(service, 'notes', { text: String(index) })),
    ])
    const [position] = await place.rows<{ doc: string }>("SELECT doc FROM daybook$records WHERE kind = 'subscription'")
    await write(1)
    await eventually(() => expect(seen.at(-1)).toBe(6))
    expect(new Set(seen).size).toBe(seen.length)
    expect(position).toBeDefined()
  })
})
