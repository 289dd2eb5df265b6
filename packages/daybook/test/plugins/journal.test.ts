import { setTimeout as sleep } from 'node:timers/promises'
import {
  ANONYMOUS,
  type DaybookConfig,
  DeliveryError,
  defineCollection,
  definePlugin,
  f,
  type JournalEvent,
  type JournalSubscription,
  type SubscribedJournal,
} from 'daybook'
import { createTestService } from 'daybook/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RecordingLog } from '../support/recording-log.ts'
import { create, type Place, update } from '../support/stores/place.ts'
import { STORES } from '../support/stores/stores.ts'
import { eventually } from '../support/timeouts.ts'

const collections = { notes: defineCollection({ fields: { text: f.text() } }) }

interface SubscriptionOptions extends Partial<JournalSubscription> {
  readonly system?: boolean
}

/** Creates a config with a plugin that subscribes to the journal, and a getter of its subscription. */
function subscribing({ system = false, ...subscription }: SubscriptionOptions): {
  config: DaybookConfig
  journal: () => SubscribedJournal
} {
  let subscribed: SubscribedJournal | undefined
  const plugin = definePlugin({
    name: 'reader',
    version: '1.0.0',
    system,
    setup: async ({ journal }) => {
      subscribed = await journal.subscribe({ name: 'index', deliver: () => {}, ...subscription })
    },
  })
  return { config: { collections, plugins: [plugin] }, journal: () => subscribed as SubscribedJournal }
}

const QUICK = { retryMs: 1, maxRetryMs: 5 } as const

describe.each(STORES)('a plugin that reads the journal on $name', (store) => {
  let place: Place
  const open: { close(): Promise<void> }[] = []

  beforeEach(async () => {
    place = await store.at()
  })
  afterEach(async () => {
    for (const service of open.splice(0)) await service.close()
    await place[Symbol.asyncDispose]()
  })

  const start = async (config: DaybookConfig) => {
    const service = await place.open(config)
    open.push(service)
    return service
  }

  test('continues with other documents while one fails, and delays later changes of that one', async () => {
    const seen: string[] = []
    let isBroken = true
    const { config, journal } = subscribing({
      concurrency: 4,
      times: { ...QUICK, retryMs: 30, maxRetryMs: 30 },
      deliver: ({ after, seq }) => {
        if (isBroken && seq === 1) throw new DeliveryError('The index has no room.')
        seen.push(`${after?.text}`)
      },
    })
    const service = await start(config)
    const { id } = await create(service, 'notes', { text: 'a1' })
    await update(service, 'notes', id, { text: 'a2' })
    await create(service, 'notes', { text: 'b' })
    await update(service, 'notes', id, { text: 'a3' })
    await create(service, 'notes', { text: 'c' })
    await eventually(() => expect(seen.toSorted()).toEqual(['b', 'c']))
    await eventually(async () => expect(await journal().status()).toEqual({ seq: 5, head: 5, pending: 3, parked: 0 }))
    const [first, second] = await journal().deliveries({ state: 'pending', limit: 10 })
    expect(first).toMatchObject({ seq: 1, action: 'create', collection: 'notes', id, reason: 'The index has no room.' })
    expect(second).toMatchObject({ seq: 2, attempts: 0, failedAt: null, reason: null })
    isBroken = false
    await eventually(() => expect(seen.slice(2)).toEqual(['a1', 'a2', 'a3']))
    await eventually(async () => expect(await journal().status()).toMatchObject({ pending: 0, parked: 0 }))
  })

  test('retries failed deliveries after a restart', async () => {
    const seen: number[] = []
    let isBroken = true
    const { config } = subscribing({
      times: QUICK,
      deliver: ({ seq }) => {
        if (isBroken) throw new Error('down')
        seen.push(seq)
      },
    })
    const service = await start(config)
    for (const text of ['1', '2', '3']) await create(service, 'notes', { text })
    await open.pop()?.close()
    isBroken = false
    await start(config)
    await eventually(() => expect(seen.toSorted()).toEqual([1, 2, 3]))
  })

  test('parks a delivery that fails for too long, continues with later ones, and replays it on request', async () => {
    const seen: string[] = []
    let isBroken = true
    const { config, journal } = subscribing({
      times: { ...QUICK, parkAfterMs: 1 },
      deliver: ({ after }) => {
        if (isBroken && after?.text === 'poison') throw new DeliveryError('It is poison.')
        seen.push(`${after?.text}`)
      },
    })
    const service = await start(config)
    const { id } = await create(service, 'notes', { text: 'poison' })
    await update(service, 'notes', id, { text: 'cured' })
    await eventually(() => expect(seen).toEqual(['cured']))
    await eventually(async () => expect(await journal().status()).toMatchObject({ pending: 0, parked: 1 }))
    expect(await journal().deliveries({ state: 'parked', limit: 10 })).toMatchObject([
      { seq: 1, id, dueAt: null, reason: 'It is poison.' },
    ])
    isBroken = false
    await journal().replay({ parked: true })
    await eventually(() => expect(seen).toEqual(['cured', 'poison']))
    await eventually(async () => expect(await journal().status()).toMatchObject({ pending: 0, parked: 0 }))
  })

  test('replays one change or a range of the journal in order, and then delivers new changes', async () => {
    const seen: string[] = []
    const { config, journal } = subscribing({
      concurrency: 8,
      times: QUICK,
      deliver: ({ after }) => void seen.push(`${after?.text}`),
    })
    const service = await start(config)
    const { id } = await create(service, 'notes', { text: '1' })
    for (const text of ['2', '3', '4', '5']) await update(service, 'notes', id, { text })
    const next = async (replay: () => Promise<void>, expected: readonly string[]) => {
      await eventually(async () =>
        expect(await journal().status()).toMatchObject({ seq: (await journal().status()).head }),
      )
      seen.length = 0
      await replay()
      await eventually(() => expect(seen).toEqual(expected))
    }
    await next(() => journal().replay({ seq: 3 }), ['3'])
    await next(() => journal().replay({ from: 2, to: 4 }), ['2', '3', '4'])
    await next(
      async () => {
        await journal().replay({ from: 4 })
        await update(service, 'notes', id, { text: '6' })
        await eventually(() => expect(seen.length).toBeGreaterThanOrEqual(3))
      },
      expect.toSatisfy((all: string[]) => {
        // The new change may come before the replay begins; it is delivered in order again then.
        const from = all.indexOf('4')
        return all.slice(from).join() === '4,5,6' && all.slice(0, from).every((text) => text === '6')
      }) as never,
    )
    await next(
      () => Promise.all([journal().replay({ seq: 1 }), journal().replay({ from: 5, to: 900 })]).then(() => {}),
      ['1', '5', '6'],
    )
  })

  test('stores its position even if the lease expires right after a delivery', async () => {
    const { config, journal } = subscribing({})
    const service = await start(config)
    await create(service, 'notes', { text: '1' })
    await eventually(async () => expect(await journal().status()).toMatchObject({ seq: 1 }))
    // The holder relies on the lease for 5 s, and stores the position one second after a delivery.
    await sleep(3700)
    await create(service, 'notes', { text: '2' })
    await eventually(async () => expect(await journal().status()).toMatchObject({ seq: 2, head: 2 }))
  })

  test('delivers changes with erased states as far as possible', async () => {
    const seen: unknown[] = []
    const { config, journal } = subscribing({
      deliver: ({ seq, action, after }) => void seen.push([seq, action, after?.text]),
    })
    const service = await start(config)
    const { id } = await create(service, 'notes', { text: '1' })
    for (const text of ['2', '3']) await update(service, 'notes', id, { text })
    const gone = await create(service, 'notes', { text: 'gone' })
    await service.content.delete('notes' as never, gone.id)
    await eventually(() => expect(seen).toHaveLength(5))
    await place.exec('DELETE FROM daybook$journal_payload')
    seen.length = 0
    await journal().replay({ from: 1 })
    await eventually(() =>
      expect(seen.toSorted()).toEqual([
        [3, 'update', '3'],
        [5, 'delete', undefined],
      ]),
    )
  })

  test('sends one delivery at a time to a receiver that is down, and loses none', async () => {
    let isDown = true
    let attempts = 0
    const seen = new Set<number>()
    const { config, journal } = subscribing({
      concurrency: 4,
      times: { retryMs: 60, maxRetryMs: 120 },
      deliver: ({ seq }) => {
        attempts += 1
        if (isDown) throw new DeliveryError('It is down.')
        seen.add(seq)
      },
    })
    const service = await start(config)
    for (let index = 0; index < 60; index += 1) await create(service, 'notes', { text: `${index}` })
    await eventually(() => expect(attempts).toBeGreaterThan(6))
    expect(attempts).toBeLessThan(30)
    expect((await journal().status()).seq).toBeLessThan(60)
    isDown = false
    await eventually(() => expect(seen.size).toBe(60))
    await eventually(async () => expect(await journal().status()).toEqual({ seq: 60, head: 60, pending: 0, parked: 0 }))
  })

  test('that throws or hangs affects no write and no other delivery', async () => {
    const log = new RecordingLog()
    const seen: number[] = []
    const deliver = ({ signal, seq }: JournalEvent): Promise<void> | undefined => {
      if (seq === 1) throw new TypeError('no index')
      if (seq === 2)
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      if (seq === 3) return new Promise(() => {})
      seen.push(seq)
      return undefined
    }
    const { config } = subscribing({
      concurrency: 4,
      times: { ...QUICK, retryMs: 60_000, maxRetryMs: 60_000, deliveryMs: 2000 },
      deliver,
    })
    await using service = await store.open(config, { log })
    for (const text of ['1', '2', '3', '4']) await create(service, 'notes', { text })
    await eventually(() => expect(seen).toEqual([4]))
    const lines: string[] = []
    await eventually(() => {
      lines.push(...log.take().filter((line) => line.includes('could not be delivered')))
      expect(lines).toHaveLength(3)
    })
    expect(lines.join('\n')).toMatch(/plugin reader: index.*no index|no index.*plugin reader: index/s)
    expect((await service.content.as(ANONYMOUS).list('notes' as never)).total).toBe(4)
    expect((await service.fetch(new Request('http://localhost/api/ready'))).status).toBe(200)
  })

  test('delivers on one of two nodes, and continues on the other when the first one closes', async () => {
    const seen: string[] = []
    const nodes = ['first', 'second'].map((name) =>
      subscribing({ concurrency: 4, times: QUICK, deliver: ({ seq }) => void seen.push(`${name} ${seq}`) }),
    )
    const [first, second] = [
      await start(nodes[0]?.config ?? { collections }),
      await start(nodes[1]?.config ?? { collections }),
    ]
    for (let index = 0; index < 10; index += 1) await create(first, 'notes', { text: `${index}` })
    await eventually(() => expect(seen).toHaveLength(10))
    const leader = seen[0]?.startsWith('first') ? first : second
    open.splice(open.indexOf(leader), 1)
    await leader.close()
    const other = leader === first ? second : first
    await create(other, 'notes', { text: 'last' })
    await eventually(() => expect(seen).toHaveLength(11))
    expect(new Set(seen.map((line) => line.split(' ')[1])).size).toBe(11)
  })
})

describe('a subscription is rejected', () => {
  const start = (subscription: SubscriptionOptions) => createTestService(subscribing(subscription).config)

  test.each<[string, SubscriptionOptions, string]>([
    ['name', { name: 'two words' }, 'plugins.reader.setup.two words.name must be a name'],
    ['concurrency', { concurrency: 0 }, 'index.concurrency must be a whole number from 1 to 64'],
    ['collection', { collections: { nots: {} } }, 'index.collections.nots is not a collection. Did you mean "notes"?'],
    ['global', { globals: ['site'] }, 'index.globals.site is not a global.'],
    ['action', { actions: ['draft'] }, 'index.actions.draft is not an action. Use one of: create, update'],
    [
      'where',
      { collections: { notes: { where: { nope: { eq: 1 } } } } },
      'index.collections.notes.where[nope]: Filtering by "nope" is not possible',
    ],
    [
      'select',
      { collections: { notes: { select: ['txt'] } } },
      'index.collections.notes.select.txt is not a field. Did you mean "text"?',
    ],
    ['reader', { reader: 'system' }, 'Declare it: definePlugin'],
  ])('for its %s', async (_case, subscription, message) => {
    await expect(start(subscription)).rejects.toThrow(message)
  })
})
